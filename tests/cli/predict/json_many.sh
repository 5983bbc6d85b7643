epochcast predict resnet18 -d a100 -d tpu-v4 -p fp32 --json |
    python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"])
for p in d["predictions"]:
    print(p["model"], p["device"], sorted(p))'
