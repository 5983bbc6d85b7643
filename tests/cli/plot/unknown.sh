epochcast plot accuracy-curve runs.csv
