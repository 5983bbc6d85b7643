# tolerance: 0.02
epochcast analyse "$SRC/tests/recorded/results/iterations.csv" --skip 1 --no-predict
