# A word of a column keeps its rows; without it, rows that differ are no one configuration.
# tolerance: 0.02
awk 'BEGIN { print "network,gpu,batch,precision,step_time_ms"
    for (b = 8; b <= 256; b *= 2) for (k = 0; k < 4; k++)
        printf "my_net,%s,%d,%s,%d\n", k % 2 ? "t4" : "v100", b, k < 2 ? "fp32" : "amp", (2 + k) * b }' > runs.csv
epochcast whatif --table runs.csv
epochcast whatif --table runs.csv gpu=t4
epochcast whatif --table runs.csv gpu=t4 precision=amp batch=48
epochcast fit runs.csv --where precision=amp --split logo:gpu --family ours --csv | cut -d, -f1,2
epochcast fit runs.csv --where colour=red
