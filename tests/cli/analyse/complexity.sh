epochcast analyse "$SRC/tests/recorded/results/iterations.csv" --complexity --no-predict | sed '/^Findings/,$d'
