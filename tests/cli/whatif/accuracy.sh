# Accuracy against time, where the table has it: an interval, the front, the best within a budget.
# tolerance: 0.02
awk 'BEGIN { print "width,batch_size,time_per_epoch,test_accuracy"
    for (w = 8; w <= 64; w *= 2) for (b = 16; b <= 64; b *= 2)
        printf "%d,%d,%.4f,%.4f\n", w, b, w ^ 1.2 / b ^ 0.3, 1 - 2 / w ^ 0.6 / b ^ 0.1 }' > grid.csv
epochcast whatif --table grid.csv --network '' --features width,batch_size width=24 batch_size=16,48
epochcast whatif --table grid.csv --network '' --features width,batch_size --budget 20 --json |
    python3 -c '
import json, sys
v = json.load(sys.stdin)["configurations"]
print(sorted(v[0]), [c["front"] for c in v].count("*"))'
epochcast whatif --table grid.csv --network '' --features width,batch_size --accuracy '' width=24 batch_size=32 --csv
epochcast whatif --table grid.csv --network '' --features width,batch_size --accuracy top1
