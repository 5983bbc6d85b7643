epochcast predict resnet50 --device t4 --epochs 5
