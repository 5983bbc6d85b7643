# Small images in a network of large ones: said.
epochcast predict resnet18 -d t4 -b 8 --dataset cifar10 | grep '32 x 32' | tr -s ' '
epochcast predict resnet18 -d t4 -b 8 --dataset cifar10 --image 32 | grep -c '32 x 32'
epochcast predict resnet18 -d t4 -b 8 --dataset imagenet | grep -c 'images of'
