# A grid made of what is predicted itself, half as long again: the factor is found.
# tolerance: 0.02
echo depth,base_filters,batch_size,num_params,time_per_epoch > grid.csv
for depth in 2 3; do
    for filters in 32 64; do
        for batch in 32 64 128; do
            model=cifar_cnn:depth=$depth,base_filters=$filters
            epochcast predict $model --device a100-pcie-40gb -b $batch --optimizer adam --json > p.json
            epochcast model $model --json > m.json
            python3 - $depth $filters $batch <<'END' >> grid.csv
import json, math, sys
p, m = json.load(open("p.json")), json.load(open("m.json"))
def find(o, key):
    if isinstance(o, dict):
        if key in o:
            return o[key]
        o = list(o.values())
    for v in o if isinstance(o, list) else []:
        r = find(v, key)
        if r is not None:
            return r
depth, filters, batch = map(int, sys.argv[1:])
t = p["step_time_ns"]["p50"] * 1e-9 * math.ceil(50000 / batch) * 1.5
print(f"{depth},{filters},{batch},{find(m, 'params')},{t:.5f}")
END
        done
    done
done
table="--table grid.csv --device a100-pcie-40gb --features depth,base_filters,batch_size,num_params"
epochcast whatif $table depth=3 base_filters=48 batch_size=96 --csv > one.csv
model=cifar_cnn:depth=3,base_filters=48
epochcast predict $model --device a100-pcie-40gb -b 96 --optimizer adam --json > p.json
python3 - <<'END'
import csv, json, math
row = next(csv.DictReader(open("one.csv")))
p = json.load(open("p.json"))["step_time_ns"]["p50"] * 1e-9 * math.ceil(50000 / 96) * 1.5
print("right" if abs(float(row["p50"]) / p - 1) < 0.02 else f"wrong: {row} {p}")
print(row["num_params"], row["measured"] == "", row["extrapolates"])
END
epochcast whatif $table --csv 2>/dev/null | wc -l
epochcast whatif $table --budget 1ms --csv 2>/dev/null | wc -l
epochcast whatif $table --budget 1h depth=5 base_filters=32 batch_size=32 2>/dev/null --json |
    grep -o '"extrapolates.*'
