epochcast predict resnet18 --device t4 --mode forward --optimizer adam
