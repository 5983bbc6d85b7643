# Without keys of dropout a config.json has that of its class, as the built-in network has: 0.1, and none of Llama's.
size='"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072'
config() { mkdir -p "$1" && echo "{\"model_type\": $2}" > "$1/config.json"; }
config bert_base "\"bert\", $size, \"vocab_size\": 30522, \"max_position_embeddings\": 512, \"type_vocab_size\": 2"
config roberta_base "\"roberta\", $size, \"vocab_size\": 50265, \"max_position_embeddings\": 514, \"type_vocab_size\": 1"
config gpt2 '"gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257, "n_positions": 1024'
config t5_base '"t5", "d_model": 768, "num_layers": 12, "num_heads": 12, "d_kv": 64, "d_ff": 3072, "vocab_size": 32128'
config vit_base "\"vit\", $size, \"image_size\": 224, \"patch_size\": 16"
for name in bert_base roberta_base gpt2 t5_base vit_base; do
    length="--seq-len 256"
    [ $name = vit_base ] && length=
    for model in $name $name/config.json; do
        epochcast predict $model -d a100 -b 4 $length --json |
            python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["step_time_ns"], a["memory_peak_bytes"])' > $name.$(basename $model)
    done
    cmp $name.$name $name.config.json && echo "$name: the same"
done
config none '"gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257, "n_positions": 1024, "resid_pdrop": 0'
for model in gpt2 none; do
    echo "$model: $(epochcast model $model/config.json | grep -c ' dropout ') layers of dropout"
done
