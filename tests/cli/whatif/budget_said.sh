# What is outside says by how much; a budget that nothing is within says what the least is.
# tolerance: 0.02
awk 'BEGIN { print "width,batch_size,time_per_epoch,images_per_second"
    for (w = 16; w <= 128; w *= 2)
        for (b = 16; b <= 128; b *= 2)
            printf "%d,%d,%.4f,%.4f\n", w, b, w ^ 1.5 / b ^ 0.25, 1e4 / w }' > grid.csv
table="--table grid.csv --features width,batch_size"
epochcast whatif $table --network '' width=64 batch_size=64 batch_size=4096
epochcast whatif $table --network '' --budget 1s --csv
epochcast whatif $table --network '' --target images_per_second --budget 30s
