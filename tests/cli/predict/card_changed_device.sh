epochcast predict alexnet -d t4 --set memory_bytes=1e12,tdp_w=60 | sed -E -f "$SRC/tests/cli/predict/hide.sed"
