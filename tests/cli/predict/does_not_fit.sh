# The first thing said; what is said to fit does.
epochcast predict resnet50 -d rtx3090 -b 1024 | head -n 8 | sed -E 's/[0-9.]+ GiB/# GiB/g; s/batch [0-9]+ /batch # /; s/ [0-9.]+ samples/ # samples/; s/ +/ /g'
epochcast predict resnet50 -d rtx3090 -b 1024 --json | python3 -c '
import json, sys
print(sorted(json.load(sys.stdin)["room"]))'
