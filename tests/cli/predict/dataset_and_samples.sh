epochcast predict resnet50 --device t4 --dataset imagenet --samples 3
