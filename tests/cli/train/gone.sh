epochcast train mnist_cnn --data csv:gone.csv
