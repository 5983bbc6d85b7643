# The first thing said; what is said to fit does.
epochcast predict resnet50 -d rtx3090 -b 1024 | head -n 4 | sed -E 's/[0-9.]+ GiB/# GiB/g; s/batch [0-9]+;/batch #;/; s/batch [0-9]+ with/batch # with/'
epochcast predict resnet50 -d rtx3090 -b 1024 --json | python3 -c '
import json, sys
print(sorted(json.load(sys.stdin)["room"]))'
