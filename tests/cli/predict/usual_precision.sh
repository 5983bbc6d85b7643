# A device without a rate for fp32 is predicted in its usual precision, unless another is given.
hide="$SRC/tests/cli/predict/hide.sed"
epochcast predict resnet18 -d tpu-v4 -d a100 -d ascend-910 | sed -E -f "$hide"
epochcast predict resnet18 -d tpu-v4 -d gaudi2 | sed -n 1p
epochcast predict resnet18 -d tpu-v4 --method roofline | grep -e bf16 -e by
epochcast predict resnet18 -d tpu-v4 --set fp32_flop_per_s=60e12 | sed -n 1,2p
epochcast predict resnet18 -d tpu-v4 -p fp32
