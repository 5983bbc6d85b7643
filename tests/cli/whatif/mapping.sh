# Columns have names of ours; what is left out of predictions is left out here.
map=$SRC/tests/recorded/mapping/mine.map
head -1 "$SRC/tests/recorded/mapping/runs.csv" >runs.csv
for b in 1 2 4 8 16 32 64 128; do echo "ResNet-50,T4,$b,voll,$((10 * b + b / 8)),100,warm,x" >>runs.csv; done
head -5 runs.csv >few.csv
epochcast whatif --table few.csv --mapping "$map"
echo "VGG,T4,8,voll,99999,100,cold,x" >>runs.csv
epochcast whatif --table runs.csv --mapping "$map" batch_size=24 --csv | cut -d, -f1
