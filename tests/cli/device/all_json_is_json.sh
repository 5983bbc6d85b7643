epochcast device list --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
keys = [r["key"] for r in d["devices"]]
print(d["schema"], len(keys) > 100, len(keys) == len(set(keys)))'
