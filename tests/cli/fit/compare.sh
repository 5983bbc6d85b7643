# Two layers' worth of law on three devices: the roofline twice, and a launch.
awk 'BEGIN { print "device,batch_count,rows_m,inner_k,cols_n,split,time_ms"
    split("t4 v100-pcie-16gb p100-pcie-16gb", d, " "); split("8.1e9 14e9 9.3e9", peak, " ")
    for (i = 0; i < 150; i++) {
        m = 2 ^ (5 + i % 7); k = 64 + (i * 137) % 4000; n = 64 + (i * 311) % 4000
        printf "%s,1,%d,%d,%d,train,%.5f\n", d[1 + i % 3], m, k, n,
            0.01 + 4 * m * k * n / peak[1 + i % 3] } }' > linear.csv
for split in random kfold group:device logo:device; do
    echo "$split"
    folds=$(case $split in kfold | group:*) echo --folds 3 ;; esac)
    epochcast fit --op linear --data linear.csv --split $split $folds --csv --features roofline \
        --family roofline --family roofline_fitted --family physics --family linear 2>/dev/null |
        awk -F, 'NR > 1 { print $1, $2, $3, $4, ($7 < 0.6 || $1 == "linear" ? "fair" : "poor " $7) }'
done
# directories are searched, kinds of operators name all of theirs
epochcast fit compare --op gemm --data . --family nnls --family knn --json 2>/dev/null |
    python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"], [(f["family"], f["features"]) for f in d["families"]])'
