# A grid made of what is predicted with the last host of the list, whichever that is.
host=$(epochcast device hosts --csv | sed -n '$s/,.*//p')
echo depth,base_filters,batch_size,time_per_epoch > grid.csv
for depth in 2 3 4; do
    for batch in 32 64 128; do
        epochcast predict cifar_cnn:depth=$depth,base_filters=32 -d t4 -b $batch --optimizer adam --samples 50000 --host $host \
            --json | python3 -c "
import json, sys
print('$depth,32,$batch,%r' % (json.load(sys.stdin)['epoch_time_ns']['p50'] * 1e-9))" >> grid.csv
    done
done
table="--table grid.csv --device t4 --features depth,base_filters,batch_size"
epochcast whatif $table depth=5 base_filters=32 batch_size=96 --host $host --csv > one.csv 2> note
cat note
epochcast predict cifar_cnn:depth=5,base_filters=32 -d t4 -b 96 --optimizer adam --samples 50000 --host $host --json > p.json
python3 - <<'END'
import csv, json
row = next(csv.DictReader(open("one.csv")))
p = json.load(open("p.json"))["epoch_time_ns"]["p50"] * 1e-9
print(abs(float(row["p50"]) / p - 1) < 0.02 or (row, p))
END
epochcast whatif $table depth=5 --host nobody 2>&1 | cut -d ';' -f 1
