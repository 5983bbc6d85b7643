epochcast dataset cifar10:/nowhere
