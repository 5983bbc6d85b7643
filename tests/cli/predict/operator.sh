epochcast predict --op 'conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1' -d a100 --phase grad_data | sed -E -f "$SRC/tests/cli/predict/hide.sed"
