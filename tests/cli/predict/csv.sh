epochcast predict resnet18 -d a100 -d t4 -b 64 -p tf32 --csv | sed -E -f "$SRC/tests/cli/predict/hide.sed"
