epochcast model resnet18 --batch -3
