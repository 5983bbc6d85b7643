epochcast predict --op 'conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1' -d p100-pcie-16gb --framework tensorflow-1 \
    --mode isolated_step --optimizer adam --activation relu | sed -E -f "$SRC/tests/cli/predict/hide.sed"
