# Nothing fits: how much the nearest needs.
# tolerance: 0.02
epochcast plan llama3_8b --tokens 100M --device rtx4090 --devices 1..2 --global-batch 16
epochcast plan llama3_8b --tokens 100M --device t4

epochcast plan llama3_8b --tokens 50M --seq-len 2048 --tuning lora --device rtx4090 --devices 1
