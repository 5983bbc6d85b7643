epochcast evaluate --networks nowhere.csv
