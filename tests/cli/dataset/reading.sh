# The last line is predict's option.
epochcast dataset synthetic:classes=4,shape=3x8x8,train=500,test=10 --batches 3 --workers 2 > out
tail -n 1 out | sed -E 's/x[0-9.e-]+ms/xNms/'
epochcast predict lenet5 -d t4 -b 64 $(sed -n 's/^predict *//; s/ (.*//; $p' out) | grep -c 'input: loading'
epochcast dataset synthetic:classes=4,shape=3x8x8,train=500,test=10 --batches 3 --workers 2 --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["reading"]["loader"].split("x")[0])'
