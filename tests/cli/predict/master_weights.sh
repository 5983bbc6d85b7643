epochcast predict llama3_8b -d h200-sxm-141gb -p bf16 --optimizer adamw --master-weights | sed -n 1,3p
epochcast predict llama3_8b -d h200-sxm-141gb -p bf16 --optimizer adamw --json --master-weights | grep -E "optimizer_bytes|weights_bytes|gradients_bytes"
