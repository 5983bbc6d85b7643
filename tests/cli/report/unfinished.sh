# Layers of which none was measured to the end.
mkdir results
sed -n '1p; 2s/,ok,/,unsupported,/p' $SRC/measured/amd-epyc/epochcast-layers.csv >results/layers.csv
epochcast report results --out page
