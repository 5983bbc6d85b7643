epochcast train mnist_cnn
