# What was imported is fitted: networks and operators of a store, and a table that is only named.
awk 'BEGIN { print "network,gpu,batch_size,precision,step_time_ms"
    for (b = 8; b <= 64; b *= 2) { printf "resnet18,t4,%d,fp32,%.2f\n", b, b + 3
        printf "vgg16,t4,%d,fp32,%.2f\n", b, 4 * b + 9 } }' > runs.csv
awk 'BEGIN { print "device,batch_count,rows_m,inner_k,cols_n,split,time_ms"
    for (i = 0; i < 60; i++)
        printf "t4,1,%d,%d,%d,train,%.5f\n", 32 * (1 + i % 5), 64 + 8 * i, 128, 0.01 + i / 1000 }' > linear.csv
epochcast data import --store s.db runs.csv linear.csv > /dev/null
epochcast fit runs.csv --family linear --family ours --csv | cut -d, -f1,2
epochcast fit --store s.db --family linear --family ours --save m --csv | cut -d, -f1,2
epochcast fit predict m --store s.db --csv | wc -l
epochcast fit --store s.db --op linear --family ridge --features operations --csv | cut -d, -f1-3
epochcast fit --store s.db --split logo:model --tune 3 --family ours --csv | cut -d, -f1,2,9
epochcast data import --store t.db linear.csv > /dev/null
epochcast fit --store t.db
epochcast fit linear.csv
epochcast fit runs.csv --store s.db
