epochcast predict resnet50 -d t4 --batch 8 --devices 4 --interconnect nvlink
