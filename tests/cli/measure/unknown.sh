epochcast measure things --out x.csv
