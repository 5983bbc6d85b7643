# Each row is an answer of predict: its command gives the same digits.
epochcast plan bert_base --samples 1M --device rtx3090,a100-sxm4-40gb --devices 1..4 --global-batch 32 \
    --prices rtx3090=0.3,a100-sxm4-40gb=1.3 --json > plan.json
python3 -c '
import json, shlex, subprocess
plan = json.load(open("plan.json"))
assert plan["possible"] == plan["predicted"] + plan["ruled_out_by_memory"] + plan["ruled_out_by_time"]
print(sorted(plan), len(plan["plans"]) > 1)
for row in plan["plans"]:
    answer = json.loads(subprocess.check_output(shlex.split(row["command"]) + ["--json"]))
    near = lambda a, b: abs(a - b) <= 6e-9 * abs(b)  # predict prints nine digits
    same = [near(row["time_ns"], answer["job_time_ns"]["p50"]), near(row["time_p95_ns"], answer["job_time_ns"]["p95"]),
            near(row["cost_usd"], answer["cost_usd"]["p50"]), row["devices"] == answer["devices"],
            near(row["fits_probability"], answer["fits_probability"]),
            near(row["memory_peak_bytes"], answer["memory_peak_bytes"]["p50"])]
    print(all(same), "" if all(same) else (row, answer))
'
