epochcast measure layers --out x.csv --shard 4/4
