epochcast whatif depth=3
