# On a narrow terminal columns are left out by name.
# tolerance: 0.02
awk 'BEGIN { print "width,batch_size,time_per_epoch,test_accuracy"
    for (w = 8; w <= 64; w *= 2) for (b = 16; b <= 64; b *= 2)
        printf "%d,%d,%.4f,%.4f\n", w, b, w ^ 1.2 / b ^ 0.3, 1 - 2 / w ^ 0.6 / b ^ 0.1 }' > grid.csv
for columns in 40 80; do
    COLUMNS=$columns epochcast whatif --table grid.csv --network '' --features width,batch_size width=24 batch_size=16,256
done
