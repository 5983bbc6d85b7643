epochcast predict resnet50
