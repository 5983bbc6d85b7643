cat > questions.jsonl <<'END'
{"id": 1, "model": "resnet18", "device": "a100", "batch": 8}
{"id": "two", "op": "relu x=64x64", "device": "t4", "phase": "forward"}

{"id": 3, "model": "resnet19", "device": "a100"}
{"id": 4, "model": "resnet18", "device": "t5"}
not json
{"id": 6, "model": "resnet18", "device": "a100", "bach": 8}
{"id": 7, "model": "resnet18", "device": "a100", "batch": 8}
END
epochcast predict --requests questions.jsonl | sed -E -f "$SRC/tests/cli/predict/hide.sed"
epochcast predict --requests questions.jsonl > file
epochcast predict --requests - < questions.jsonl | cmp - file
