epochcast predict mnist_cnn --device p100-pcie-16gb --batch 32 --samples 60000 --method practicum-3 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
