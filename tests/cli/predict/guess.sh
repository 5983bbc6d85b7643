# An interval of more than 20 times is a guess: text has no median, data have it with a flag.
ask='epochcast predict resnext50_32x4d -b 64 -p bf16 --dataset imagenet -e 2'
$ask -d tpu-v3 | grep -E 'not known' | sed -E 's/[0-9.]+ /# /g'
$ask -d tpu-v3 --json | grep -o '"guess": true'
$ask -d tpu-v3,a100 --csv 2> /dev/null | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(r["device"], r["guess"], float(r["step_time_ns"]) > 0)'
