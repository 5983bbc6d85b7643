epochcast predict mnist_cnn --device t4 --batch 32 --method justus-sum --json | sed -E -f "$SRC/tests/cli/predict/hide.sed" | head -6
