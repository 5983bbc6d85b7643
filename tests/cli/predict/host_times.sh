# A host's time that is the same in all rows stands above the table; one that a profile changes for
# its device is a column.
epochcast predict resnet18 -d t4,a100 -b 8 | sed -n '2p; 4p' | sed -E -f "$SRC/tests/cli/predict/hide.sed"
epochcast calibrate -d t4 --row 'resnet18 batch=1' --time-ms 20 --out t4.json > /dev/null
epochcast predict resnet18 -d a100,t4 -b 8 --profile t4.json | sed -n '2p; 4p' |
    sed -E -f "$SRC/tests/cli/predict/hide.sed"
