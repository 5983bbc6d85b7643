printf "a,b\n1\n" > table.csv
epochcast evaluate --operators table.csv
