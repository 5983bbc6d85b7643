# What an action would not look at is refused there.
epochcast fit --table grid.csv --tune-state kept
epochcast fit --table grid.csv --family ridge
epochcast fit --op linear --data x.csv --network vgg11
epochcast fit --op linear --data x.csv --folds 3
epochcast fit --op linear --data x.csv --tune-state kept
epochcast fit --provenance --csv
epochcast fit describe here --tune 2
epochcast fit compare here --op conv2d
epochcast fit --op linera --data x.csv
epochcast fit --op linear --data x.csv --family nobody
