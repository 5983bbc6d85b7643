epochcast evaluate --networks x.csv --json --csv
