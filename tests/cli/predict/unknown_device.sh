epochcast predict resnet50 --device a100-sxm4-40g
epochcast predict lenet5 --device '8xH100'
