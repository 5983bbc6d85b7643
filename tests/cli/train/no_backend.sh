# mask: there are .*
epochcast train mnist_cnn --data synthetic:train=64,test=8 --backend abacus
