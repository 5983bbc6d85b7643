# Tokens are in bf16 as usual, which may have float32 copies; images are in float32; of a network that is not known that is said.
epochcast predict gpt2 -d a100-sxm4-40gb --devices 8 --strategy fsdp --micro-batch 4 --master-weights | grep -c 'bf16, adamw'
epochcast predict gtp2 -d a100-sxm4-40gb -b 4 --master-weights || echo $?
epochcast predict resnet50 -d a100-sxm4-40gb -b max --master-weights || echo $?
epochcast predict resnet50 -d a100-sxm4-40gb -b 4 --master-weights
