# What it costs is a column where a price is given, in CSV always.
epochcast predict resnet18 -d t4 -d 'v100-sxm2-16gb' -b 16 --samples 50000 --epochs 90 --usd-per-hour 1.5 \
    | sed -E -f "$SRC/tests/cli/predict/hide.sed"
epochcast predict resnet18 -d t4 -d a100 -b 16 --samples 50000 --usd-per-hour 1.5 --csv > table.csv
python3 - <<'END'
import csv
for r in csv.DictReader(open("table.csv")):
    for end in ("", "_p05", "_p95"):
        hours = float(r[f"epoch_time{end}_ns"]) / 3600e9
        print(r["device"], end, abs(float(r[f"cost{end}_usd"]) / (1.5 * hours) - 1) < 1e-4)
END
