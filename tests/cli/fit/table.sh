awk 'BEGIN { print "width,batch_size,time_per_epoch";
    for (w = 16; w <= 128; w *= 2)
        for (b = 16; b <= 128; b *= 2)
            printf "%d,%d,%.4f\n", w, b, w ^ 1.5 / b ^ 0.25 * (1 + ((w * 7 + b * 3) % 11 - 5) / 500) }' > grid.csv
epochcast fit --table grid.csv --network '' --features width,batch_size --rows rows.csv --csv |
    awk -F, 'NR == 1 { print } NR > 1 && $1 != "ann" { print $1, $2, ($3 > 0.9 ? "R2 above 0.9" : "poor"), $NF }'
epochcast fit table --table grid.csv --network '' --features width,batch_size --json 2>/dev/null |
    python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"], [f["family"] for f in d["families"]], sorted(d["families"][0]))'
head -n 1 rows.csv
wc -l < rows.csv
