epochcast predict vgg16 -d a100 --mode forward --precision tf32 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
