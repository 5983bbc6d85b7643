epochcast model mnist_cnn --batch 8 --csv
