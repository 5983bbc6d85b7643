epochcast predict resnet50 -d t4 -b 64 -p amp --optimizer momentum --layout channels-last \
    --dataset imagenet --epochs 90 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
