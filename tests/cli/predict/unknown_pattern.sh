epochcast predict resnet50 -d 'zx*'
