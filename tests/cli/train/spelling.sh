epochcast train mnist_cnn --precision AMP
