# A machine with a price is paid whole, however many of its devices work; a device with a price is not.
# tolerance: 0.02
epochcast plan resnet50 --dataset imagenet -e 90 -b 256 --device p5.48xlarge --devices 1,8,12 --prices p5.48xlarge=55.04 --csv
epochcast predict resnet50 --dataset imagenet -e 90 -b 256 -d p5.48xlarge --prices p5.48xlarge=55.04 | grep price
epochcast predict resnet50 --dataset imagenet -e 90 -b 256 -d p5.48xlarge --prices h100-sxm5-80gb=7 | grep price
