epochcast predict resnet18 -d tpu-v4 -d a100 -p fp32 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
