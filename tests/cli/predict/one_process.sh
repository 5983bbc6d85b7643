# One process for all devices: with dp the step waits for the host, which serves one after the other, for each
# micro-batch.
for strategy in "dp" "mirrored" "dp --accumulation 4" "mirrored --accumulation 4"; do
    epochcast predict resnet50 -d v100-sxm2-16gb --devices 4 -b 64 --strategy $strategy | grep -A1 'of a step' |
        sed -E -f "$SRC/tests/cli/predict/hide.sed"
done
epochcast predict bert_base -d v100-sxm2-16gb --devices 4 --micro-batch 8 --tp 2 --strategy dp || echo $?
