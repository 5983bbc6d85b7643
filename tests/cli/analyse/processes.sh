# Processes that share a processor: rows of `measure ddp` and of the collector under torchrun, and the table of step by
# number of processes.
columns=run,key,kind,what,phase,method,outcome,batch,image_px,precision,layout,execution,optimizer,threads,num_devices
cat > ddp.csv <<END
$columns,device,machine,engine,engine_version,framework,n_warm_up,samples_ns,device_samples_ns,held_out,seed,flags,tool
aa,1,network,mnist_cnn,step,whole,ok,8,28,fp32,channels-first,eager,sgd,1,1,my-cpu,m,pytorch,2.1.0,pytorch-2,3,1e6 1.1e6 1e6,,0,1,,x
aa,2,network,mnist_cnn,step,whole,ok,8,28,fp32,channels-first,eager,sgd,1,2,my-cpu,m,pytorch,2.1.0,pytorch-2,3,1.5e6 1.6e6 1.5e6,,0,1,,x
END
epochcast analyse ddp.csv --no-predict
sed 's/,1,,x$/,1,data_loading,x/' ddp.csv > made.csv # of `measure ddp`, whose steps wait for their data
epochcast analyse made.csv --no-predict --csv | cut -d, -f1-4
cat > scaling.csv <<END
model,ranks,batch_per_rank,optimizer,precision,num_params,step_ns,local_step_ns,all_reduce_ns,images_per_s,threads,device
mnist_cnn,1,8,sgd,fp32,24330,1000000,1000000,0,8000,1,my-cpu
mnist_cnn,2,8,sgd,fp32,24330,1500000,1100000,200000,10666.7,1,my-cpu
END
epochcast analyse scaling.csv --no-predict
