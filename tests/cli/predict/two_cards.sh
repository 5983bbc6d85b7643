# tolerance: 0.02
# What would let a language model be trained on two cards: first what trains the same, then adapters.
epochcast predict llama3_8b --device rtx4090 --devices 2 --seq-len 2048 | sed '/^$/q'
epochcast predict llama3_8b --device rtx4090 --devices 2 --seq-len 2048 --tuning lora --batch 1 | sed '/^$/q'
