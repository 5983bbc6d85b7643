# Failures and checkpoints are in the job's time; a part of a job without one is refused.
job="resnet50 -d h100-sxm5-80gb --devices 256 --dataset imagenet --epochs 900"
epochcast predict $job | grep -A2 '^  job' | sed -E -f "$SRC/tests/cli/predict/hide.sed"
epochcast predict $job --mtbf none | grep -A1 '^  job' | sed -E -f "$SRC/tests/cli/predict/hide.sed"
epochcast predict $job --spot-life 6h --json | python3 -c '
import json, math, sys
a = json.load(sys.stdin)
print(math.isclose(a["failure_every_ns"], 3600e9 / (32 / 6 + 256 / 50700), rel_tol=1e-6),
      a["checkpoint_bytes"], a["restarts_ns"] < a["job_time_ns"]["p50"])'
epochcast predict resnet50 -d h100-sxm5-80gb --spot-life 6h
echo $?
epochcast predict resnet50 -d h100-sxm5-80gb --samples 1000 --restart soon
