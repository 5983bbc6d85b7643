# What is taken where nothing is named differs for networks of tokens, and the help says so.
epochcast help predict | sed -n '/^  -p, --precision/,/^  .*--layout/p; /^ *--optimizer/,/(default sgd)/p' | grep -v layout
