cat >questions.jsonl <<'END'
{"model": "resnet50", "device": "t4", "batch": 32}
{"model": "nope", "device": "t4"}

{"op": "conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1", "device": "v100-sxm2-16gb", "phase": "forward"}
not json
{"model": "resnet18", "device": "t4", "batch": -1}
{"model": "resnet18", "device": "t4", "colour": 1}
{"model": "resnet18", "device": "t5"}
{"model": "resnet18"}
[]
{"model": "-", "device": "t4", "id": 7}
{"model": "resnet18", "device": "t4", "dataset": "imagenet", "epochs": 2}
END
epochcast predict --requests questions.jsonl >answers.jsonl
python3 - <<'END'
import json
for line in open("answers.jsonl"):
    a = json.loads(line)
    print(a["error"] if "error" in a else sorted(k for k in a if k != "parts"))
END
epochcast predict --requests - <questions.jsonl | cmp - answers.jsonl
