epochcast predict resnet18 -d 'tpu*'
