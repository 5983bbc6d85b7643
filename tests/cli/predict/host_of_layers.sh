# A profile with layers answers by them, and they hold the host that they were measured with.
sed 's/cpu-epyc-2vcpu/t4/g' "$SRC/measured/amd-epyc/profile-pytorch.json" > t4.json
epochcast predict resnet18 -d t4 -b 4 --framework pytorch-1 --profile t4.json --host reference --json > p.json
python3 -c '
import json
p = json.load(open("p.json"))
print(p["basis"], p.get("host"), [w for w in p["warnings"] if "host" in w])'
