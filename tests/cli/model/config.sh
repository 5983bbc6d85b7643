# A config.json of Hugging Face is a model; another type is refused with the nearest.
cat >config.json <<'E'
{"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
 "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936, "tie_word_embeddings": true,
 "max_position_embeddings": 40960, "bos_token_id": 151643}
E
epochcast model config.json --totals
sed s/qwen3/qwen33/ config.json >other.json
epochcast model other.json
