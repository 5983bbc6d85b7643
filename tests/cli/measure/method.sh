epochcast measure layers --out x.csv --methods marginal,wrong
