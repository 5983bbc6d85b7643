cat > questions.jsonl <<'END'
{"model": "resnet18", "device": "a100", "host": "reference"}
{"model": "resnet18", "device": "a100", "host": "reference", "framework": "pytorch-1"}
{"model": "resnet18", "device": "cpu-epyc-2vcpu"}
{"op": "relu x=64x64", "device": "a100"}
{"model": "resnet18", "device": "a100", "host": "nobody"}
{"op": "relu x=64x64", "device": "a100", "host": "reference"}
END
epochcast predict --requests questions.jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    if "error" in a:
        print(a["error"]["status"], a["error"]["message"].split(";")[0])
    else:
        print(a.get("host", "no host"), a["parts"]["device_ns"] > 0, a["parts"]["host_ns"] > 0)'
