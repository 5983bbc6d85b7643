# tolerance: 0.02
epochcast predict mnist_cnn --device t4 --batch 32 --method justus-sum --csv | python3 -c '
import csv, sys
row = next(csv.DictReader(sys.stdin))
print([row[k] for k in ("device", "step_time_p05_ns", "step_time_p95_ns", "samples_p05_per_s", "samples_p95_per_s")])'
epochcast predict mnist_cnn --device t4,p4 --batch 32 --method roofline --markdown | grep t4 | cut -d '|' -f 4,5
epochcast predict mnist_cnn --device t4 --batch 32 --method flop --json | grep -A3 step_time
