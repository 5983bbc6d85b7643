# The last host of the list, whichever that is; layers wait for none, processors have none.
host=$(epochcast device hosts --csv | sed -n '$s/,.*//p')
epochcast roofline mobilenet_v2 --device t4,cpu-epyc-2vcpu --layers --csv > plain.csv 2>/dev/null
epochcast roofline mobilenet_v2 --device t4,cpu-epyc-2vcpu --layers --csv --host $host > named.csv 2>/dev/null
epochcast predict mobilenet_v2 -d t4 --host $host --json > p.json
python3 - <<'END'
import csv, json
plain, named = (list(csv.DictReader(open(name))) for name in ("plain.csv", "named.csv"))
whole = [row for row in named if not row["layer"] and row["device"] == "t4"]
p = json.load(open("p.json"))["step_time_ns"]["p50"]
print([abs(float(row["predicted_ns"]) / p - 1) < 1e-6 for row in whole])
rest = [(a, b) for a, b in zip(plain, named) if a["layer"] or a["device"] != "t4"]
print(len(plain) == len(named), len(rest) > 100, all(a == b for a, b in rest))
END
epochcast roofline lenet5 --device t4 --host nobody 2>&1 | cut -d ';' -f 1
