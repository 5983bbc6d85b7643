# The rows that were tested, operators and tables alike; random says how few judge.
awk 'BEGIN { print "device,batch_count,rows_m,inner_k,cols_n,split,time_ms"
    for (i = 0; i < 60; i++)
        printf "t4,1,%d,%d,%d,train,%.5f\n", 32 * (1 + i % 5), 64 + 8 * i, 128, 0.01 + i / 1000 }' > linear.csv
epochcast fit --op linear --data linear.csv --split group:batch --family roofline_fitted --rows rows.csv > /dev/null
head -n 1 rows.csv
wc -l < rows.csv
epochcast fit --op linear --data linear.csv --split group:family --family roofline_fitted
awk 'BEGIN { print "width,batch_size,time_per_epoch"
    for (w = 16; w <= 128; w *= 2)
        for (b = 16; b <= 128; b *= 2)
            printf "%d,%d,%.4f\n", w, b, w ^ 1.5 / b ^ 0.25 }' > grid.csv
epochcast fit --table grid.csv --network '' --features width,batch_size --family ours --split random --csv | cut -d, -f1,2
