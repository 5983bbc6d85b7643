epochcast model cifar_cnn:depth=2 --batch 32
