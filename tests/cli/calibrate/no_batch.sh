epochcast calibrate --device t4 --row 'resnet50 samples_per_s=10'
