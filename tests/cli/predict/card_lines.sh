# What limits, where the device's time goes and what the answer rests on are lines of their own; a
# device that was measured by other software only is said to be so.
for device in rtx4090 a30; do
    epochcast predict resnet50 -d $device -b 8 -p amp --framework pytorch-2 |
        sed -n 's/^  limited by [a-z ]*$/limit/p; s/^  device time: .*/phases/p; s/^  *\(no network .*\|the estimate .*\)/\1/p'
done
epochcast predict --op 'conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1' -d k40 --framework pytorch-2 | tail -n 2
