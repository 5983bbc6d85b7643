# A limit of the energy says which devices have no power that is known; they are not late.
epochcast plan llama3_8b --tokens 1B --global-batch 64 --device tpu-v6e --devices 64 --energy 100kWh
epochcast plan gpt2 --samples 10k --micro-batch 4 --tp 1 --pp 1 --zero 0 --recompute none --device tpu-v6e,t4 --devices 1 --energy 100kWh --csv | cut -d, -f1-3
