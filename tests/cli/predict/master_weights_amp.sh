epochcast predict resnet50 -d t4 -p amp --master-weights
