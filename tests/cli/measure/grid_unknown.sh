epochcast measure grid --param width=3,4 --backend ref --threads 1 --out x.csv
