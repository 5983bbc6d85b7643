# Options of adapters without adapters; where all of a search is refused, the answer says why.
epochcast plan gpt2_small -d h100-sxm5-80gb --tokens 1M --rank 16 || echo $?
epochcast plan gpt2_small -d h100-sxm5-80gb --tokens 1M --tuning full --rank 8 || echo $?
epochcast plan gpt2_small -d t4 --tokens 1M --tuning lora --fp32-adapters || echo $?
epochcast slurm gpt2_small -d h100-sxm5-80gb --steps 10 --rank 16 || echo $?
