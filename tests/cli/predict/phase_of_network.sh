epochcast predict resnet50 -d t4 --phase forward
