epochcast predict resnet50 -d t4 --batch -1
