epochcast calibrate --device t4
