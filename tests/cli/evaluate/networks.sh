cat > table.csv <<'END'
device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,num_gpus,time_ms
T4,resnet18,x,16,224,forward_backward,s,fp32,1,100
T4,resnet18,x,32,224,forward_backward,s,fp32,1,200
V100,alexnet,x,16,224,forward,s,fp16,1,10
V100,alexnet,x,16,224,forward,s,fp16,4,10
V100,unheard_of,x,16,224,forward,s,fp16,1,10
Z9000,alexnet,x,16,224,forward,s,fp16,1,10
T4,alexnet,x,0.5,224,forward,s,fp32,1,
END
epochcast evaluate --networks table.csv --by device --csv | cut -d , -f 1-4
epochcast evaluate --networks table.csv --rows rows.csv > /dev/null 2>&1
cut -d , -f 1-11 rows.csv
