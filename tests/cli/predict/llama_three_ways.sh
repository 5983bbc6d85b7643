# Built in, from its config.json, and from the ONNX file that we write: one answer, alone and over devices that share.
cat >config.json <<'END'
{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
 "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "hidden_act": "silu",
 "max_position_embeddings": 8192, "tie_word_embeddings": false}
END
epochcast model llama3_8b --seq-len 4096 --write llama.onnx
for model in llama3_8b config.json llama.onnx; do
    epochcast predict $model -d h200 --batch 1 --seq-len 4096 --json
    epochcast predict $model -d h100 --devices 8 --strategy fsdp --micro-batch 1 --seq-len 4096 --json
    epochcast predict $model -d h100 --devices 8 --tp 4 --micro-batch 1 --seq-len 4096 --json
done | python3 -c '
import json, sys
text, at, answers = sys.stdin.read(), 0, []
while text[at:].strip():
    a, n = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at += len(text[at:]) - len(text[at:].lstrip()) + n
    answers.append((a["step_time_ns"]["p50"], a["memory_peak_bytes"]["p50"]))
for i in range(3):
    print(len(answers), all(abs(b / a - 1) < 0.01 for a, b in zip(answers[i] * 2, answers[i + 3] + answers[i + 6])))'
