for model in resnet50 mobilenet_v2 bert_base lstm_lm vit_b_16 swin_t gpt2 convnext_tiny; do
    epochcast model $model --batch 4 --json | python3 -c '
import json, math, sys
d = json.load(sys.stdin)
for key in "params", "mac", "forward_flop", "backward_flop", "forward_bytes", "backward_bytes":
    layers = sum(l[key] for l in d["layers"])
    if not math.isclose(layers, d["totals"][key], rel_tol=1e-9):
        print(d["name"], key, layers, d["totals"][key])
print(d["schema"], d["name"])'
done
