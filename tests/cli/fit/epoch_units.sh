# The unit of an epoch's time is in the name of its column; answers are in seconds, whichever it is.
grid() { # NAME of the column, seconds in its unit
    awk -v name="$1" -v unit="$2" 'BEGIN {
        print "depth,base_filters,batch_size,num_params," name ",dataset_size"
        for (i = 0; i < 18; i++) {
            d = 2 + i % 3; w = 16 + 8 * int(i / 9); b = 32 * 2 ^ (int(i / 3) % 3)
            printf "%d,%d,%d,%d,%.9g,50000\n", d, w, b, 1000 * w * d, 60 * (d * w / b + i % 4 / 50) / unit
        }
    }'
}
mkdir seconds
grid time_per_epoch 1 > seconds/grid.csv
(cd seconds; epochcast fit table grid.csv --family linear; epochcast whatif grid.csv --family linear --budget 61s) | tee expected
for named in 'time_per_epoch_ms 0.001' 'epoch_minutes 60' 'epoch_time_[h] 3600' 'Time per epoch (min) 60'; do
    grid "${named% *}" "${named##* }" > grid.csv
    { epochcast fit table grid.csv --family linear; epochcast whatif grid.csv --family linear --budget 61s; } | cmp - expected
done
epochcast report grid.csv --out page
sed -n '/^- /p' page/report.md | head -n 2
# a target that is named keeps its unit
epochcast fit table grid.csv --family linear --target 'Time per epoch (min)' | tail -n 1
