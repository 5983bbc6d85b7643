# A grid made of what is predicted with a profile: with it both commands find what was measured, and
# without it the fit is worse.
epochcast calibrate --device t4 --row 'resnet50 batch=8 time_ms=60' \
    --row 'linear n=64 in=1024 out=1024 phase=forward time_ms=0.09' --out t4.json > calibrate.txt
grep -c '"log_change"' t4.json
echo depth,base_filters,batch_size,time_per_epoch > grid.csv
for depth in 2 4; do
    for filters in 16 64; do
        for batch in 16 64 256; do
            epochcast predict cifar_cnn:depth=$depth,base_filters=$filters --device t4 -b $batch --optimizer adam \
                --profile t4.json --json > p.json
            python3 - $depth $filters $batch <<'END' >> grid.csv
import json, math, sys
depth, filters, batch = map(int, sys.argv[1:])
t = json.load(open("p.json"))["step_time_ns"]["p50"] * 1e-9 * math.ceil(50000 / batch)
print(f"{depth},{filters},{batch},{t:.6f}")
END
        done
    done
done
table="--table grid.csv --device t4 --features depth,base_filters,batch_size"
epochcast fit $table --profile t4.json --csv > with.csv 2> with.txt
epochcast fit $table --csv > without.csv 2> without.txt
epochcast whatif $table --profile t4.json depth=4 base_filters=64 batch_size=64 --csv > one.csv
python3 - <<'END'
import csv
def ours(path):
    return next(float(r["mean_ape_frac"]) for r in csv.DictReader(open(path)) if r["family"] == "ours")
row = next(csv.DictReader(open("one.csv")))
print("exact" if ours("with.csv") < 0.002 else ours("with.csv"))
print("worse" if ours("without.csv") > 2 * ours("with.csv") else ours("without.csv"))
print("as measured" if abs(float(row["p50"]) / float(row["measured"]) - 1) < 0.002 else row)
END
epochcast whatif $table --profile none.json depth=4 base_filters=64 batch_size=64
