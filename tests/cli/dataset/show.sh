# tolerance: 0.001
epochcast dataset synthetic:classes=4,shape=3x8x8,train=100,test=10 --show 2 --seed 1
