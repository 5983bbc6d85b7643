# A note is said once: without names where it is of all rows, with some where it is of some or differs in numbers.
devices=t4,l4,rtx3090,rtx4090,a100-sxm4-40gb,h100-sxm5-80gb,v100-sxm2-16gb
epochcast predict resnet18 -d $devices -b 8 --dataset cifar10 | grep '^note: images'
epochcast predict resnet18 -d $devices,gtx1070,gtx1080 -b 8 --dataset cifar10 -p amp | grep 'matrix units'
epochcast predict resnet50 -d gtx1060-6gb,gtx850m,t4 -b 8 | grep '^note' | sed -E 's/[0-9.]+/#/g' | sort | uniq -c
