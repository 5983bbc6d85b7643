cat > cases.txt <<EOF
linear m=4 k=3 n=5
EOF
epochcast measure layers --cases cases.txt --activation none,relu,tanh --out x.csv --backend ref --threads 1 --max-runs 10 --device t4 2>err.txt \
    | cut -d, -f1 # a busy machine makes samples unstable, which count as failed
python3 - <<'EOF'
import csv
for row in sorted(csv.DictReader(open("x.csv")), key=lambda r: r["activation"]):
    print(row["method"], row["phase"], row["activation"] or "-", row["what"])
EOF
epochcast data import x.csv --store s.sqlite | cut -d: -f1
epochcast data export --store s.sqlite | python3 -c '
import csv, sys
for row in sorted(csv.DictReader(sys.stdin), key=lambda r: r["activation"]):
    print(row["mode"], row["activation"] or "-")
'
