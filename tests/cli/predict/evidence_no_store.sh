epochcast predict resnet18 --batch 32 --device t4 --evidence 5 --store none | tail -1
