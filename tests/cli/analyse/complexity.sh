epochcast analyse "$SRC/tests/recorded/runs/iterations.csv" --complexity --no-predict | sed '/^Findings/,$d'
