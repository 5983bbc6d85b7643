epochcast predict resnet50 --device a100-sxm4-40gb --batch 32 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
