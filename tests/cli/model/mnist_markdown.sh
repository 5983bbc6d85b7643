epochcast model mnist_cnn --markdown
