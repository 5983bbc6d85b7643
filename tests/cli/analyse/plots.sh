epochcast analyse "$SRC/tests/recorded/results/iterations.csv" --skip 1 --csv --plots pictures | cut -d, -f1-10 | head -3
ls pictures
