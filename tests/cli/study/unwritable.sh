epochcast study composition mnist_cnn --layers nowhere/layers.csv || true
mkdir folder
epochcast study composition mnist_cnn --layers folder
