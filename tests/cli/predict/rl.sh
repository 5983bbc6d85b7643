# Steps of preference and reinforcement learning.
say="sed -E -f $SRC/tests/cli/predict/hide.sed"
job="llama3.2_1b -d h100 --devices 8 --zero 3 --micro-batch 2 --accumulation 4 --seq-len 1024 --recompute full"
epochcast predict $job --rl dpo | $say | sed -n '/^ step/,/^ samples/p'
epochcast predict $job --rl dpo | $say | grep training
epochcast predict $job --rl grpo --generators 4 --samples 6400 --usd-per-hour 1 | $say | sed -n '/^ step/,/^ cost/p'
epochcast predict $job --generated 100
epochcast predict $job --rl grpo --generated 1024
epochcast predict $job --rl ppo --samples 6400 | $say | sed -n '/^ step/,/^ samples/p'
epochcast predict $job --rl rloo
