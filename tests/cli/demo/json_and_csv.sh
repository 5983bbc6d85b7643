epochcast demo --json --csv
