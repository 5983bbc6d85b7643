epochcast predict resnet18 -d t4 --method roofline --host reference
