# The last host of the list, whichever that is: as `epochcast analyse` predicts with it, which the page names.
host=$(epochcast device hosts --csv | sed -n '$s/,.*//p')
mkdir results
printf 'env,device,model,batch_size,iteration,time_ms\nx,t4,mobilenet_v2,2,0,30\nx,t4,mobilenet_v2,2,1,30\n' \
    > results/runs.csv
epochcast report results --host $host > /dev/null 2>&1
epochcast analyse results/runs.csv --host $host --csv | cmp - results/report/tables/runs.csv
grep -o "epochcast analyse results/runs.csv --host $host" results/report/report.md | sed "s/$host/HOST/" | sort -u
epochcast report results --host nobody 2>&1 | cut -d ';' -f 1
