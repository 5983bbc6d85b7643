# A linear model of logarithms that leaves what it was taught by far is held, and the table says so.
awk 'BEGIN { print "device,batch_count,rows_m,inner_k,cols_n,split,time_ms"
    split("t4 v100-pcie-16gb p100-pcie-16gb", d, " "); split("8.1e9 14e9 9.3e9", peak, " ")
    for (i = 0; i < 150; i++) {
        m = 2 ^ (5 + i % 7); k = 64 + (i * 137) % 4000; n = 64 + (i * 311) % 4000
        printf "%s,1,%d,%d,%d,train,%.5f\n", d[1 + i % 3], m, k, n,
            0.01 + 4 * m * k * n / peak[1 + i % 3] } }' > linear.csv
epochcast fit --op linear --data linear.csv --split logo:device --features roofline --family linear > out.txt 2> err.txt
head -n 1 out.txt | tr -s ' '
tail -n 2 out.txt
tail -n 1 err.txt
awk 'length($0) > 300 { print "wide" }' out.txt
