epochcast measure grid --param 3,4 --out x.csv
