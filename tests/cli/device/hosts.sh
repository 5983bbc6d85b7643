epochcast device hosts | sed -n '1,2s/  */ /gp;4s/  */ /gp'
epochcast device hosts | tail -n 3
epochcast device hosts --csv | sed -n 1,2p
epochcast device hosts --markdown | sed -n 1,3p
epochcast device hosts --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"], sorted(d), d["hosts"][0], all(h["time_factor"] > 0 for h in d["hosts"]))
print(len({h["host"] for h in d["hosts"]}) == len(d["hosts"]))'
