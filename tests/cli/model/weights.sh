# A checkpoint: its tensors, parameters and types, beside the config.json of the model.
make() { python3 "$SRC/tests/cli/model/make_weights.py" "$@"; }
layers() {
    for i in 0 1; do
        p=model.layers.$i
        echo $p.input_layernorm.weight:$1:64 $p.post_attention_layernorm.weight:$1:64
        echo $p.self_attn.q_proj.weight:$1:64x64 $p.self_attn.k_proj.weight:$1:32x64 $p.self_attn.v_proj.weight:$1:32x64
        echo $p.self_attn.o_proj.weight:$1:64x64 $p.mlp.gate_proj.weight:$1:128x64 $p.mlp.up_proj.weight:$1:128x64
        echo $p.mlp.down_proj.weight:$1:64x128
    done
}
mkdir tiny
echo '{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
"intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 64}' > tiny/config.json
ends="model.embed_tokens.weight:BF16:100x64 model.norm.weight:F32:64"

make tiny/model.safetensors $ends $(layers BF16) lm_head.weight:BF16:100x64
epochcast model tiny/model.safetensors
epochcast predict tiny/model.safetensors -d h100 -b 8 | head -1
epochcast predict ./tiny -d h100 -b 8 | head -1

echo "-- without the head, with a table of angles"
make tiny/model.safetensors $ends $(layers F16) model.rotary.inv_freq:F32:8
epochcast model tiny --totals

echo "-- two files and their index"
make tiny/model-00001-of-00002.safetensors $ends $(layers BF16)
make tiny/model-00002-of-00002.safetensors lm_head.weight:F8_E4M3:100x64
rm tiny/model.safetensors
epochcast model tiny/model-00002-of-00002.safetensors --csv
touch tiny/model.safetensors.index.json
make tiny/consolidated.safetensors $ends $(layers BF16) lm_head.weight:BF16:100x64 # the same in one piece
epochcast model tiny --totals --json
rm tiny/model-00002-of-00002.safetensors
epochcast model tiny/model.safetensors.index.json

echo "-- adapters, and packed weights"
mkdir lora packed
echo '{"r": 8}' > lora/adapter_config.json
make lora/adapter_model.safetensors base.layers.0.q_proj.lora_A.weight:F32:8x64 base.layers.0.q_proj.lora_B.weight:F32:64x8
epochcast model lora --totals
make packed/model.safetensors layers.0.q_proj.qweight:I32:8x64 layers.0.q_proj.scales:F16:1x64
epochcast model packed --totals
