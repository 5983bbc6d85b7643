epochcast predict resnet50 -d t4 --set memory=5
