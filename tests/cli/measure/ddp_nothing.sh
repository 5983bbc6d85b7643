epochcast measure ddp --out x.csv
