epochcast predict llama3_8b -d h200-sxm-141gb -p bf16 --optimizer adamw --master-weights | sed -nE "1,3s|[0-9.]+ samples|# samples|; 1,3p"
epochcast predict llama3_8b -d h200-sxm-141gb -p bf16 --optimizer adamw --json --master-weights | grep -E "optimizer_bytes|weights_bytes|gradients_bytes"
