# Words that frameworks use for precisions, modes and layouts.
for precision in float32 bfloat16 float16 half mixed; do
    epochcast predict resnet18 -d a100 -b 8 -p $precision --layout nhwc --csv 2> /dev/null | cut -d, -f5,6 | tail -n 1
done
for mode in inference eval train; do
    epochcast predict resnet18 -d t4 -b 8 --mode $mode | sed -n 1p
done
epochcast predict resnet18 -d t4 -b 8 --layout NCHW | sed -n 1p
epochcast predict resnet18 -d t4 -b 8 --devices 0
