# A step waits for a loader that is slower, and the advice says which would do; a job has parts.
epochcast predict resnet50 -d a100-sxm4-80gb -p amp -b 64 --loader 800 --dataset imagenet --epochs 90 --eval-samples 50000 \
    --checkpoint-rate 1GB/s --start 90s | grep -E 'loader|input:|job|limited' | sed -E 's/[0-9][0-9.]* (h|d|min|s|ms|us|%)/#/g; s/--loader [0-9]+/--loader #/; s/ +/ /g'
epochcast predict resnet50 -d a100-sxm4-80gb -p amp -b 64 --loader 8x10ms --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
print(a["loader_ns"], a["limit"], a["step_time_ns"]["p50"])'
epochcast predict resnet50 -d t4 -b 64 --loader 8x
epochcast predict --op 'relu x=64x64' -d t4 --loader 8
# The copy of the batch is a part of the step.
epochcast predict resnet50 -d a100-sxm4-80gb -p amp -b 64 --input-copy | grep input: | sed -E 's/[0-9][0-9.]* ms/#/g'
epochcast predict resnet50 -d a100-sxm4-80gb -p amp -b 64 --loader 8000 --input-copy | grep input: | sed -E 's/[0-9][0-9.]* ms/#/g'
# Without workers the step comes after its loading.
epochcast predict resnet50 -d a100-sxm4-80gb -p amp -b 64 --loader 0x1ms | grep input:
epochcast predict resnet50 -d a100-sxm4-80gb -p amp -b 64 --loader 0x1ms --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
print(a["loader_ns"], a["loader_serial"])'
epochcast predict --op 'relu x=64x64' -d t4 --input-copy
