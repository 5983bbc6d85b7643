# Rows grouped in two ways: a column tells which; a way that is not there is refused.
cat > table.csv <<'END'
device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,num_gpus,time_ms
T4,resnet18,x,16,224,forward_backward,s,fp32,1,100
V100,alexnet,x,16,224,forward,s,fp16,1,10
END
epochcast evaluate --networks table.csv --by device --by all --csv | cut -d , -f 1-4
epochcast evaluate --networks table.csv --by device --by all 2> /dev/null | cut -c 1-45
epochcast evaluate --networks table.csv --by colour
