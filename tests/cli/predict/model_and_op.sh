epochcast predict resnet50 --op 'relu x=3' --device t4
