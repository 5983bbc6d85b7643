epochcast predict resnet50 -d t4 --batch 16777216 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
