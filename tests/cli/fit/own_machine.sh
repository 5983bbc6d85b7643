# Rows of a machine that the catalogue does not have, as `measure layers` writes them: --device says which one it is.
columns=run,key,kind,what,family,phase,method,outcome,precision,layout,execution,optimizer,threads,num_devices
awk -v columns=$columns 'BEGIN {
    print columns ",device,machine,engine,engine_version,framework,n_warm_up,samples_ns,device_samples_ns,held_out,seed,flags,tool"
    for (n = 1; n <= 30; n++)
        print "aa," n ",operator,relu x=" 1024 * n ",relu,forward,separated,ok,fp32,channels-first,compiled,none,1,1," \
            "my-machine,m,epochcast,0.1.0,epochcast,3," 2000 + 100 * n ",,0,1,,x" }' > layers.csv
epochcast fit --op relu --data layers.csv --family linear --features baseline --csv || :
epochcast fit --op relu --data layers.csv --family linear --features baseline --device cpu-epyc-2vcpu --csv | cut -d, -f1-4
