epochcast predict resnet51 --device t4
