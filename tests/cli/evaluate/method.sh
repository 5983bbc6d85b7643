cat > table.csv <<'END'
device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,num_gpus,time_ms
T4,resnet18,x,16,224,forward_backward,s,fp32,1,100
T4,resnet18,x,32,224,forward_backward,s,fp32,1,200
END
epochcast evaluate --networks table.csv --method roofline --csv | cut -d , -f 1-4
