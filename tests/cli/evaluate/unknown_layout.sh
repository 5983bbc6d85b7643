printf "colour,taste\nred,sweet\n" > table.csv
epochcast evaluate --networks table.csv
