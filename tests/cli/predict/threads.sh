epochcast predict resnet18 -d t4 -b 8 --threads 2
epochcast predict resnet18 -d cpu-xeon-spr-8480 -b 8 --threads 2 --json | grep -E '"(threads|device)"'
