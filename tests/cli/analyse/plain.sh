printf 'model,gpu,batch_size,step_time_ms\nresnet50,A100,32,110.5\nresnet18,A100,none,80\n' > simple.csv
printf 'env,device,model,batch_size,iteration,time_s,images_per_s\nT4,cuda,resnet18,64,0,0.9,71\nT4,cuda,resnet18,64,1,0.8,80\n' > named.csv
printf 'iter_idx,iter_time_ms,imgs_per_sec\n0,90,711\n1,80,800\n2,81,790\n' > alone.csv
printf 'depth,base_filters,batch_size,num_params,dataset_size,epochs,time_per_epoch,images_per_second,max_gpu_mem_mb\n2,32,64,591274,40000,5,5,8000,160\n' > grid_a100.csv
runs() { epochcast analyse "$@" --no-predict --csv | cut -d, -f1-8,12; }
runs simple.csv
runs named.csv
runs alone.csv --model resnet18 --device v100
runs grid_a100.csv
runs alone.csv --model resnet18
