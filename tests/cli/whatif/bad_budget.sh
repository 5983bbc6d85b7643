epochcast whatif --table grid.csv --budget soon
