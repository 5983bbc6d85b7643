epochcast predict resnet18 -d a100 -b 4 --markdown | sed -E -f "$SRC/tests/cli/predict/hide.sed"
