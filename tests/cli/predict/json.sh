epochcast predict resnet18 -d a100 -b 8 --samples 100 --epochs 2 --json | sed -E -f "$SRC/tests/cli/predict/hide.sed"
