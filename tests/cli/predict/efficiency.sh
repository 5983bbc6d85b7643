# Efficiency is against one device, in a list that begins with more too: that of the single answer.
for n in 12 12,16; do
    epochcast predict resnet50 -d a100 --batch 256 --precision amp --devices $n --json 2>/dev/null >$n.json
done
python3 -c '
import json
found = json.load(open("12.json"))["scaling_efficiency"]["p50"]
first = [v for v in json.load(open("12,16.json"))["predictions"] if v["devices"] == 12][0]
print(first["speedup"], first["efficiency"] == found, found < 1)'
