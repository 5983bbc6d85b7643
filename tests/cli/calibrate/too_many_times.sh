epochcast calibrate --device t4 --row 'resnet50 batch=8 time_ms=10' --time-ms 3
