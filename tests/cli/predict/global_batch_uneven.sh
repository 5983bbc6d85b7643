epochcast predict resnet50 -d t4 --global-batch 30 --devices 4
