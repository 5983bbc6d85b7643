epochcast whatif --table nothing.csv depth=3
