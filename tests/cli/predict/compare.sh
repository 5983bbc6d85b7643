epochcast predict resnet18 -d 't4' -d 'v100-sxm2-*' -b 16 --samples 50000 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
