epochcast predict --op 'conv2d n=1' --device t4
epochcast predict --op 'conv2d n=1 c=3 h=5 w=5 k=8 r=7' --device t4
epochcast predict --op 'conf2d n=1' --device t4
