{
    echo device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,num_gpus,time_ms
    echo T4,resnet18,x,16,224,forward_backward,s,fp32,1,100
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
        echo T4,unheard_of,x,$i,224,forward,s,fp16,1,10
    done
} > table.csv
epochcast calibrate --device t4 --table table.csv --csv | cut -d , -f 1-3
epochcast calibrate --device t4 --table table.csv --json 2>&1 >/dev/null | tail -n 1
