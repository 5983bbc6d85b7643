epochcast evaluate --networks none.csv --method flop --host reference
