cat > gemm.csv <<EOF
device,precision,m,n,k,a_transposed,b_transposed,time_ms,library,above_peak
t4,fp32,4096,4096,4096,0,0,100,made-up 1,0
EOF
cat > change.py <<'EOF'
import csv, json, sys
rows = list(csv.DictReader(open("all.csv")))
changes = [{}, {"time_ns": "-5"}, {"time_ns": "0"}, {"time_ns": "1e300"}, {"time_ns": ""},
           {"what": "garbage op"}, {"what": ""}, {"kind": "foo"}, {"memory_peak_bytes": "-4"},
           {"batch": "-32"}, {"time_min_ns": "nan"}, {"kind": "network", "what": ""}]
changed = [dict(rows[0], source_row=str(i), **c) for i, c in enumerate(changes)]
w = csv.DictWriter(open("bad.csv", "w", newline=""), rows[0].keys())
w.writeheader()
w.writerows(changed)
for i, row in enumerate(changed[1:]):
    w = csv.DictWriter(open("one-%02d.csv" % i, "w", newline=""), rows[0].keys())
    w.writeheader()
    w.writerow(row)
with open("bad.jsonl", "w") as f:
    for row in changed:
        row = {k: v for k, v in row.items() if v}
        row.pop("extra", None)
        f.write(json.dumps(row) + "\n")
EOF
epochcast data import gemm.csv --store s >/dev/null
epochcast data export --store s > all.csv
python3 change.py
epochcast data import bad.csv --store t
epochcast data import bad.jsonl --store u
epochcast data import one-*.csv --store v || echo status $?
epochcast data export --store t | cut -d, -f2,5,6,11,32,43
epochcast data check --store t --csv | grep -v ,0,
