# Prices are compared within a kind: that of the most devices, or the one that is asked for.
cat > prices.csv <<'END'
gpu,usd_per_hour,tier,spot,count,region,date,provider
t4,0.5,on-demand,0,1,eu,2999-01-01,one
t4,0.2,spot,1,1,eu,2999-01-01,one
l4,0.9,On Demand,0,1,us,2999-01-01,one
l4,0.3,on-demand,yes,1,us,2999-01-01,one
v100-sxm2-16gb,8,secure,0,8,eu,2999-01-01,two
rtx3090,0.1,community,0,1,eu,2020-05-06,three
no such gpu,1,on-demand,0,1,eu,2999-01-01,one
END
ask='epochcast predict resnet18 --samples 50000 -b 32 --prices prices.csv --sort cost'
show() { python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(r["device"], r["usd_per_hour"], r["price_kind"], r["best"])'; }
$ask -d t4,l4,v100-sxm2-16gb,rtx3090 --csv | show
$ask -d t4,l4,v100-sxm2-16gb,rtx3090 --csv --price-kind spot | show
$ask -d t4,l4,v100-sxm2-16gb,rtx3090 --csv --price-kind any | show
$ask -d t4,l4 | sed -n '/prices:/p'
$ask -d rtx3090 | sed -n '/price:/p'
$ask -d rtx3090 --json | grep price_
sed 's/community,0/sometimes,/' prices.csv > wrong.csv
epochcast predict resnet18 --samples 50000 -d t4 --prices wrong.csv
sed 's/,8,eu/,none,eu/' prices.csv > wrong.csv
epochcast predict resnet18 --samples 50000 -d t4 --prices wrong.csv
printf 'gpu,price_usd_per_gpu_hour,gpus,tier,spot\nt4,0.5,8,production,0\nt4,0.1,8,prototyping,1\n' > own.csv
epochcast predict resnet18 --samples 50000 -d t4,l4 --prices own.csv --csv | show
epochcast predict resnet50 -d mi300x --batch 8 --samples 1000 --prices own.csv 2>&1 | grep -i cost
printf 'gpu,$/h\nno such gpu,1\n' > unknown.csv
epochcast predict resnet18 --samples 50000 -d t4 --prices unknown.csv
