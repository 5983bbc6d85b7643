epochcast model cifar_cnn:depht=2
