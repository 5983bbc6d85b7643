epochcast predict resnet50 --device 'a100*' --device t4 --batch 64 --csv | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    low, mid, high = (float(row[k]) for k in
                      ("step_time_p05_ns", "step_time_ns", "step_time_p95_ns"))
    print(row["device"], low < mid < high, row["fits"], float(row["memory_peak_bytes"]) > 1e9)'
