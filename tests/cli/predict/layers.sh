# Rows add up to the step, in text with --top, in CSV and in JSON.
epochcast predict resnet18 -d t4 -b 8 -p amp --layers --top 3 | sed -n '/^layer/,$p' |
    sed -E 's/ +/ /g; s/[0-9.]+ (ns|us|ms)/#/g; s/ [0-9.]+ / # /g; s/─+/─/; s/ +$//; s/^[a-z0-9.]+ conv2d/LAYER conv2d/; s/(compute|memory bandwidth)$/LIMIT/'
epochcast predict resnet18 -d t4 -b 8 --layers --csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
step = float(rows.pop()["total_ns"])
print(len(rows), abs(sum(float(r["total_ns"]) for r in rows) / step - 1) < 1e-9, abs(sum(float(r["share"]) for r in rows) - 1) < 1e-9)'
epochcast predict resnet18 -d t4 -b 8 --layers --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
sum = sum(r["forward_ns"] + r["backward_ns"] + r["update_ns"] for r in a["layers"]) + a["casts_ns"] + a["rest_ns"]
print(abs(sum / a["step_time_ns"]["p50"] - 1) < 1e-8)'
epochcast predict resnet18 -d t4,l4 --layers
epochcast predict --op 'relu x=64x64' -d t4 --layers
epochcast predict lenet5 -d cpu-epyc-2vcpu --layers | sed -n '/^layer/,$p' | wc -l
