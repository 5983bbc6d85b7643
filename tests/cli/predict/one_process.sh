# One process for all devices: with dp the step waits for the host, which serves one after the other.
for strategy in dp mirrored; do
    epochcast predict resnet50 -d v100-sxm2-16gb --devices 4 -b 64 --strategy $strategy | grep 'of a step' |
        sed -E -f "$SRC/tests/cli/predict/hide.sed"
done
epochcast predict resnet50 -d v100-sxm2-16gb --devices 4 --micro-batch 8 --accumulation 4 --strategy dp || echo $?
