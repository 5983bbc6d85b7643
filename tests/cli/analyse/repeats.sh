# Runs of one configuration, told apart by their rows or by a column, are one row with the spread between them.
cat > runs.csv <<'END'
model,device,batch_size,seed,step_time_ms
resnet18,t4,32,1,104
resnet18,t4,32,2,110
resnet18,t4,32,3,101
resnet18,rtx3090,32,1,30
END
epochcast analyse runs.csv --no-predict --plots plots --csv 2>/dev/null | cut -d, -f1-4,11,15-17
epochcast analyse runs.csv --no-predict | tail -n 6
grep -c 'polyline' plots/throughput-environments.svg
awk 'BEGIN { print "env,device,model,batch_size,trial,iteration,time_ms"
    for (r = 0; r < 3; r++) for (i = 0; i < 5; i++) printf "lab,t4,resnet18,32,%d,%d,%d\n", r, i, 100 + 5 * r + i % 2 }' > iterations.csv
epochcast analyse iterations.csv --no-predict --csv | cut -d, -f1-4,11,15-17
# Without such a column nothing tells them apart: what is not used is named.
cut -d, -f1-4,6- iterations.csv > untold.csv
epochcast analyse untold.csv --no-predict --csv | cut -d, -f1-4,11,15-17
epochcast data import untold.csv --store s
epochcast data import untold.csv --store s
# Whether two devices differ by more than their repeated runs do.
awk 'BEGIN { print "model,device,batch_size,seed,step_time_ms"
    for (r = 0; r < 3; r++) printf "resnet18,t4,32,%d,%g\nresnet18,l4,32,%d,%g\nresnet50,t4,32,%d,%g\nresnet50,l4,32,%d,%g\n",
        r, 104 + 5 * r, r, 100 + 5 * r, r, 300 + r, r, 200 + r }' > two.csv
epochcast analyse two.csv --no-predict | grep significant
