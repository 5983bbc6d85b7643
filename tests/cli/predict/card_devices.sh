epochcast predict resnet50 -d a100 --batch 256 --precision amp --devices 8 --dataset imagenet --epochs 90 \
    --usd-per-hour 2.5 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
