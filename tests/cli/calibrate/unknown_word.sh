epochcast calibrate --device t4 --row 'resnet50 colour=red time_ms=10'
