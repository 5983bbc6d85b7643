epochcast fetch cifar --dir .
