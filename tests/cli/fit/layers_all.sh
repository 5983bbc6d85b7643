# Layers as PreNeT's script writes them: forward passes and training steps, under another name of the operator.
awk 'BEGIN { print "IT,batchsize,dim_input,dim_output,precision,activation_fct,optimizer,timeUsed_median,timeUsed_min,timeUsed_max,timeUsed_std,GPU"
    for (i = 1; i <= 24; i++) print i "," 8 * i ",512," 64 * i ",32,0," i % 6 "," 0.1 + i * i / 99 ",0.1,9,0.001,T4" }' > Dense.csv
epochcast fit --op dense --data Dense.csv --family linear --features memory --csv 2>&1 | cut -d, -f1-4
