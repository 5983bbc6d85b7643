# mask: reference, .*
epochcast predict resnet18 --device t4 --batch 8 --host nowhere
