# A plan by a profile has the answers of predict by it; its command names the profile for its device alone. The prices keep both devices in the table.
epochcast calibrate --device rtx3090 --row 'bert_base batch=16 precision=bf16 optimizer=adamw' --samples-per-s 60 --out p.json > /dev/null
plan() { epochcast plan bert_base --samples 1M --device rtx3090,a100-sxm4-40gb --prices rtx3090=0.1,a100-sxm4-40gb=4 --devices 1..4 --global-batch 32 --json "$@"; }
plan > without.json
plan --profile p.json > with.json
python3 -c '
import json, shlex, subprocess
rows = lambda name: {(r["device"], r["devices"]): r for r in json.load(open(name))["plans"]}
before, after = rows("without.json"), rows("with.json")
for key, row in sorted(after.items()):
    answer = json.loads(subprocess.check_output(shlex.split(row["command"]) + ["--json"]))
    same = abs(row["time_ns"] - answer["job_time_ns"]["p50"]) <= 6e-9 * row["time_ns"]
    other = before.get(key)
    print(*key, "profile" if "--profile p.json" in row["command"] else "none", same,
          other and ("same" if other["time_ns"] == row["time_ns"] else "another time"))
'
epochcast plan bert_base --samples 1M --device t4 --profile p.json 2>&1
echo $?
