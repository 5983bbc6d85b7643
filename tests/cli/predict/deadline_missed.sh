# None ends in time: the nearest is named. What may end in time stands before what will not.
ask='epochcast predict resnet50 --dataset imagenet --epochs 90 -b 64 -p amp'
$ask -d t4,a100-sxm4-80gb,rtx4090 --deadline 12h | grep '^note' | sed -E 's/[0-9.]+ (h|d)\b/# \1/g'
$ask -d t4,a100-sxm4-80gb --deadline 12h --json | grep -c '"in_time_probability"'
