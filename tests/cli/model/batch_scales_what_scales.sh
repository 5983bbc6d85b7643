for batch in 1 32; do
    epochcast model resnet18 --batch $batch --totals --json | python3 -c '
import json, sys
t = json.load(sys.stdin)["totals"]
print(t["params"], t["buffers"], t["mac"] / '$batch', t["update_flop"])'
done
