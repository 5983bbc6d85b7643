# What --save writes is described, predicts again, and is refused when it is damaged.
# tolerance: 0.001
awk 'BEGIN { print "width,batch_size,step_time_ms"
    for (w = 16; w <= 128; w *= 2)
        for (b = 16; b <= 128; b *= 2)
            printf "%d,%d,%.4f\n", w, b, w ^ 1.5 / b ^ 0.25 }' > grid.csv
epochcast fit --table grid.csv --network '' --target step_time_ms --features width,batch_size --family ours \
    --save grid.model > compared.txt 2> said.txt
grep -c ms compared.txt
epochcast fit describe grid.model
printf 'width,batch_size\n64,64\n256,16\n' > new.csv
epochcast fit predict grid.model --table new.csv
epochcast fit predict grid.model --table grid.csv --out out.csv
head -n 1 out.csv
wc -l < out.csv
awk 'BEGIN { print "device,batch_count,rows_m,inner_k,cols_n,split,time_ms"
    for (i = 0; i < 60; i++)
        printf "t4,1,%d,%d,%d,train,%.5f\n", 32 * (1 + i % 5), 64 + 8 * i, 128, 0.01 + i / 1000 }' > linear.csv
epochcast fit --op linear --data linear.csv --family ridge --features baseline --save op.model > compared.txt 2> said.txt
epochcast fit describe op.model --json | head -n 8
epochcast fit predict op.model --op linear --data linear.csv --csv | head -n 2 | cut -d, -f1-4
epochcast fit predict op.model --table grid.csv
epochcast fit predict op.model
head -c 400 op.model > damaged.model
epochcast fit describe damaged.model
epochcast fit describe grid.csv
