# What will not end in time comes last; the best are among the others.
ask='epochcast predict resnet50 --dataset imagenet --epochs 90 -b 64 -p amp'
$ask -d t4,a100-sxm4-80gb,h100-sxm5-80gb --prices t4=0.1,a100-sxm4-80gb=1.5,h100-sxm5-80gb=4 --deadline 2d --csv | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(r["device"], r["in_time"], r["best"])'
$ask -d t4 --deadline 2d | grep 'in time' | sed -E 's/[0-9]+ %/# %/'
$ask -d t4 --deadline soon
epochcast predict resnet50 -d t4 --deadline 2d
