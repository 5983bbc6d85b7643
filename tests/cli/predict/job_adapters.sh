# peft holds adapters in float32: without autocast they take time and memory, as the answer assumes; with it, or if told, they do not.
for bf16 in full true; do
    printf 'base_model: meta-llama/Llama-3.2-1B\nadapter: lora\nlora_r: 8\nbf16: %s\nsequence_len: 1024\nload_in_8bit: true\ngradient_accumulation_steps: 1\n' $bf16 >$bf16.yml
done
epochcast predict --job full.yml -d h100-sxm-80gb | sed '/^$/q'
for ask in full.yml true.yml 'full.yml --no-fp32-adapters'; do
    epochcast predict --job $ask -d h100-sxm-80gb --samples 1k --json | grep -E '^    "(optimizer|gradients|activations)_bytes'
done
# TRL asks for 4 bits beside its adapters; packed samples count as full.
echo '{"output_dir": "o", "per_device_train_batch_size": 2, "bf16": true, "use_peft": true, "load_in_4bit": true, "packing": true}' >trl.json
epochcast predict llama3_8b --job trl.json -d a100-sxm4-80gb --samples 10k | sed '/^$/q'
