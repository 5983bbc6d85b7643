# Networks of tokens have tokens per second, and their work may be given in tokens: of the job, or of each epoch.
ask='epochcast predict gpt2 -b 8 -p amp'
$ask -d t4 --tokens 15M | grep -E '^  (samples|tokens|epoch|job)' | sed -E 's/ +/ /g; s/[0-9.]+ (s|min|h|d)/#/g; s/[0-9.]+ to [0-9.]+/#/; s/ [0-9.]+( |$)/ # /'
$ask -d t4,l4 --tokens 15e6 --json | python3 -c '
import json, math, sys
for r in json.load(sys.stdin)["predictions"]:
    print(r["tokens"], abs(r["tokens_per_s"]["p50"] / r["samples_per_s"]["p50"] / 1024 - 1) < 1e-6,
          abs(r["job_time_ns"]["p50"] / r["step_time_ns"]["p50"] / math.ceil(math.ceil(15e6 / 1024) / 8) - 1) < 1e-6)'
$ask -d t4 --tokens 15M -e 2 --csv | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(abs(float(r["job_time_ns"]) / float(r["epoch_time_ns"]) - 2) < 1e-9, r["tokens_per_s"] != "")'
echo '{"model": "gpt2", "device": "t4", "tokens": "15M"}' | epochcast predict --requests - | grep -o '"tokens":15000000\|"tokens_per_s"\|"job_time_ns"'
epochcast predict resnet18 -d t4 -b 8 --samples 1e6 | grep -cE '^  (epoch|job) '
$ask -d t4 --steps 20k --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["steps"], abs(r["job_time_ns"]["p50"] / r["step_time_ns"]["p50"] / 20000 - 1) < 1e-6)'
# wrong ones
epochcast predict resnet18 -d t4 --tokens 1e9
$ask -d t4 --tokens 1e9 --samples 1e6
$ask -d t4 --tokens 1e9 --dataset wikitext-2
$ask -d t4 --tokens 1.5
$ask -d t4 --tokens 15x
$ask -d t4 --steps 100 --epochs 2
$ask -d t4 --steps 100 --tokens 1e9
epochcast predict gpt2 -d t4 -b 16777216 --steps 1e12
