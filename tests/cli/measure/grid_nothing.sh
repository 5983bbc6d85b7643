epochcast measure grid --family mnist_cnn --out x.csv
