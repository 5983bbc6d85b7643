epochcast fit --op linear --data nothing.csv --family forrest
