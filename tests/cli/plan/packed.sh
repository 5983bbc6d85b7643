# layers in 4 bits are split by tensor parallelism only where that is asked for
epochcast plan qwen3_32b --tuning qlora --seq-len 2048 --tokens 20M -d h100 --devices 4,8 2>/dev/null >found
grep -c 'epochcast predict' found
grep -c 'tp [24]' found
epochcast plan qwen3_32b --tuning qlora --seq-len 2048 --tokens 20M -d h100 --devices 4 --tp 4 2>/dev/null | grep -c ' tp 4 '
