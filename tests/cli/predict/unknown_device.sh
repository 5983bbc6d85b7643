epochcast predict resnet50 --device a100-sxm4-40g
