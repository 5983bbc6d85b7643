# Tables of two devices, one of which only its file is named after, and a folder with them.
write() { # SECONDS [DEVICE]
    awk -v s="$1" -v d="$2" 'BEGIN { print (d ? "device," : "") "depth,base_filters,batch_size,num_params,time_per_epoch,dataset_size"
        for (n = 2; n <= 4; n++) for (f = 32; f <= 64; f *= 2) for (b = 32; b <= 128; b *= 2)
            printf "%s%d,%d,%d,%d,%.4f,50000\n", d ? d "," : "", n, f, b, 1000 * n * f, s * n * f / b ^ 0.5 }'
}
mkdir results
write 0.3 > results/grid_t4.csv
write 0.1 rtx3090 > results/other.csv
printf 'a,b\n1\n' > results/broken.csv
for tables in 'results/grid_t4.csv results/other.csv' results; do
    epochcast fit $tables --family ours --split logo:device --csv | cut -d, -f1,2
done
epochcast fit results/grid_t4.csv results/broken.csv
epochcast fit nowhere.csv results
mkdir empty
epochcast fit empty
# Which device is preferable, here and in a report.
epochcast report results --out page
grep -E 'preferable|several devices' page/report.md
