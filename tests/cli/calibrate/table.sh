cat > table.csv <<'END'
device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,num_gpus,time_ms
T4,resnet18,x,16,224,forward_backward,s,fp32,1,100
T4,resnet18,x,32,224,forward_backward,s,fp32,1,200
V100,alexnet,x,16,224,forward,s,fp16,1,10
T4,unheard_of,x,16,224,forward,s,fp16,1,10
END
epochcast calibrate --device t4 --table table.csv --csv | cut -d , -f 1-4
epochcast calibrate --device t4 --table table.csv | grep "left out"
epochcast calibrate --device a100-sxm4-40gb --table table.csv
