# An accelerator runs compiled graphs, a GPU does not: the plan says so, as predict does.
epochcast plan gpt2 --samples 10k --micro-batch 4 --tp 1 --pp 1 --zero 0 --recompute none --device tpu-v5p,tpu-v4 --devices 1 | grep compiled
epochcast plan gpt2 --samples 10k --micro-batch 4 --tp 1 --pp 1 --zero 0 --recompute none --device t4 --devices 1 | grep -c compiled
