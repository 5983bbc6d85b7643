epochcast study strategy mnist_cnn
