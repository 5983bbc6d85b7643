epochcast predict llama3_8b:layers=2 -d h100-sxm5-80gb -b 2 -p bf16 --seq-len 1024 --optimizer adamw --tuning lora --json | grep -E "(optimizer|gradients|activations)_bytes"
epochcast predict llama3_8b:layers=2 -d h100-sxm5-80gb -b 2 -p bf16 --seq-len 1024 --optimizer adamw --tuning lora --fp32-adapters | grep -E "^  step|allocated"
epochcast predict llama3_8b:layers=2 -d h100-sxm5-80gb -b 2 -p bf16 --seq-len 1024 --optimizer adamw --tuning lora --fp32-adapters --json | grep -E "(optimizer|gradients|activations)_bytes"
