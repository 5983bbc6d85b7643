# A user's own table by a mapping, and its model asked of the same table.
map=$SRC/tests/recorded/mapping/mine.map
head -1 "$SRC/tests/recorded/mapping/runs.csv" >runs.csv
for b in 1 2 3 4 6 8 12 16 24 32 48 64; do echo "ResNet-50,T4,$b,voll,$((10 * b + b / 8)),100,warm,x" >>runs.csv; done
epochcast fit --table runs.csv --mapping "$map" --family ours --save model --csv | cut -d, -f1
epochcast fit predict model --table runs.csv --mapping "$map" --csv | cut -d, -f1,2 | head -3
epochcast fit predict model --table runs.csv
