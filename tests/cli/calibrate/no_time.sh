epochcast calibrate --device t4 --row 'resnet50 batch=8'
