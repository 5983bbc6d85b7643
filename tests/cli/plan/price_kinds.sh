# Prices of another kind are none, and are said; without any there is no budget.
job='gpt2 --samples 10k --micro-batch 4 --tp 1 --pp 1 --zero 0 --recompute none --devices 1 --csv'
printf 'device,usd_per_hour,kind\nt4,0.35,on-demand\n' >prices.csv
epochcast plan $job --device t4 --prices prices.csv --price-kind spot | cut -d, -f1-3
epochcast plan $job --device t4 --prices a100=2 | cut -d, -f1-3
epochcast plan $job --device t4 --prices a100=2 --budget 5usd
