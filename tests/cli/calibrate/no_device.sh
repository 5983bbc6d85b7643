epochcast calibrate --row 'resnet50 batch=8 samples_per_s=100'
