# A processor has no host: it is named, the others are predicted.
epochcast predict resnet18 -d t4,cpu-epyc-2vcpu,a100 -b 32 --host reference --json > p.json
python3 -c '
import json
for p in json.load(open("p.json"))["predictions"]:
    print(p["device"], p.get("host"), p.get("error"))'
epochcast predict resnet18 -d cpu-epyc-2vcpu,a100 -b 32 --host reference --csv > /dev/null
epochcast predict resnet18 -d cpu-epyc-2vcpu,cpu-i9-10940x -b 32 --host reference
