# Networks of tokens are predicted in bf16, or amp, with AdamW, unless something else is given.
for options in "-d a100" "-d a100 -p fp32" "-d a100 --optimizer sgd" "-d t4" "-d a100 --mode forward"; do
    epochcast predict gpt2 --batch 4 $options | grep -e '^gpt2' -e usual
done
epochcast predict resnet18 -d a100 --batch 4 | grep -e '^resnet18' -e usual
epochcast predict gpt2 --batch 4 -d a100,t4 | sed -n 1,3p
{
    echo '{"model": "gpt2", "device": "a100-sxm4-40gb", "batch": 4}'
    echo '{"model": "gpt2", "device": "a100-sxm4-40gb", "batch": 4, "precision": "fp32", "optimizer": "sgd"}'
} | epochcast predict --requests - | python3 -c '
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    print(a["precision"], a["optimizer"])'
epochcast predict llama2_7b -d t4 --tuning lora --seq-len 512 --micro-batch 1 --recompute full | grep "as usual"
