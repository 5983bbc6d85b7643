epochcast predict resnet18 -d 'tpu*' -p fp32
