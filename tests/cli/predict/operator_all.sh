epochcast predict --op 'linear m=4096 k=768 n=3072' -d t4 -d p100-pcie-16gb -p tf32 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
