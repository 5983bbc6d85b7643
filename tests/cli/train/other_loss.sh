epochcast train mnist_cnn --data synthetic:train=64,test=8 --batch 8 --backend ref --loss mse
