# Several numbers of devices are a series: in their order, with the speed-up over the fewest.
ask='epochcast predict resnet50 -d a100-sxm4-40gb -b 64 --devices'
$ask 1,2,4 --csv > scaling.csv
python3 - <<'END'
import csv
rows = list(csv.DictReader(open("scaling.csv")))
print([r["devices"] for r in rows], [r["best"] for r in rows])
base = float(rows[0]["samples_per_s"])
for r in rows:
    n = float(r["samples_per_s"]) / base
    print(abs(float(r["speedup"]) / n - 1) < 1e-3,
          abs(float(r["efficiency"]) * int(r["devices"]) / n - 1) < 1e-3)
END
$ask 4,1 | head -1
$ask 4,1 --sort time --csv | cut -d, -f18
$ask 2 --csv | head -1 | tr , '\n' | grep -c speedup
$ask 1,2 --json | grep -c '"efficiency"'
# Where the loader limits, the devices have no efficiency.
epochcast predict resnet50 -d rtx3090 -b 64 -p amp --loader 800 --devices 4 | grep -c efficiency || true
