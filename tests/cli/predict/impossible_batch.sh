epochcast predict resnet50 --device t4 --batch 99999999999
