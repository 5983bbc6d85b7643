epochcast predict resnet18 --device v100-sxm2-16gb --batch 100 --samples 1000 --epochs 3 --json | python3 -c '
import json, math, sys
a = json.load(sys.stdin)
step, epoch, job = (a[k]["p50"] for k in ("step_time_ns", "epoch_time_ns", "job_time_ns"))
print(math.isclose(epoch, 10 * step, rel_tol=0.2), math.isclose(job, 3 * epoch, rel_tol=0.05))'
