# Several devices: an environment of their own, throughput of all, scaling over their number.
awk 'BEGIN { print "model,device,num_gpus,batch,precision,step_time_ms"
    for (n = 1; n <= 8; n *= 2) { print "lenet5,t4," n ",64,fp32," 8 + n
        print "lenet5,t4," n ",8,fp32," 4 + n } }' > gpus.csv
epochcast analyse gpus.csv --no-predict
epochcast analyse gpus.csv --no-predict --csv > runs.csv
epochcast plot device-scaling runs.csv --out scaling.svg
grep -o '>Scaling over devices: lenet5<' scaling.svg
