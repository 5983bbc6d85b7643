epochcast evaluate --networks table.csv --all-methods --method flop
