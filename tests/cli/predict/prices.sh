printf 'device,usd_per_hour,date,source\nt4,0.5,2026-01-01,somebody\nt4,0.4,2026-02-02,somebody else\nv100*,3,,\n' > prices.csv
ask='epochcast predict resnet18 --samples 50000 --epochs 9 -b 32'
$ask -d t4 --prices prices.csv | grep -E 'price|cost' | sed -E 's/[0-9.]+ USD( |$)/# USD\1/g; s/[0-9.]+ to/# to/'
$ask -d t4,l4,v100-sxm2-16gb --prices prices.csv --sort cost --csv | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(r["device"], r["usd_per_hour"], r["cost_usd"] != "" and abs(float(r["cost_usd"]) / (float(r["job_time_ns"]) / 3600e9 * float(r["usd_per_hour"])) - 1) < 1e-9, r["best"])'
$ask -d t4 --prices t4=0.35,l4=0.8 --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["usd_per_hour"])'
# wrong ones
epochcast predict resnet18 -d t4 --prices prices.csv
$ask -d t4 --prices t4=free
$ask -d t4 --prices nothere.csv
sed 's/0.5/-1/' prices.csv > wrong.csv
$ask -d t4 --prices wrong.csv
printf 'gpu,$/h\nt4,0.4\n' > as_people_write.csv
epochcast predict resnet18 -d t4,l4 -b 32 --samples 50000 --prices as_people_write.csv --csv | cut -d, -f2
