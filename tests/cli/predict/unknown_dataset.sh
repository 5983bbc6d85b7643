epochcast predict resnet50 -d t4 --dataset imagenett
