epochcast model --list | grep -x resnet50
epochcast model --list --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"], len(d["models"]) > 150)'
