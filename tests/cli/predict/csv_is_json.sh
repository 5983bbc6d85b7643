# What a row and an object of JSON both have is the same.
epochcast predict resnet18 -d t4,cpu-epyc-2vcpu -b 100 --json > p.json
epochcast predict resnet18 -d t4,cpu-epyc-2vcpu -b 100 --csv > p.csv 2> notes.txt
python3 - <<'END'
import csv, json
def same(a, b):
    return abs(float(a) / b - 1) < 1e-6
for row, p in zip(csv.DictReader(open("p.csv")), json.load(open("p.json"))["predictions"]):
    for key in ("step_time_ns", "memory_peak_bytes", "allocator_peak_bytes"):
        name, unit = key.rsplit("_", 1)
        print(row["device"], key, same(row[key], p[key]["p50"]),
              *(same(row[f"{name}_{end}_{unit}"], p[key][end]) for end in ("p05", "p95")))
    print(row["device"], "fits_probability", same(row["fits_probability"], p["fits_probability"]))
END
