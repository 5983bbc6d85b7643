epochcast predict resnet50 --device t4 --precision int4
