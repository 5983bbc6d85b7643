# A user's own tables; how far predictions are off is not the point here.
printf 'model,gpu,batch_size,step_time_ms\nresnet50,A100,32,110.5\nresnet18,A100,none,80\nresnet9000,A100,8,3\n' > simple.csv
printf 'iter_idx,iter_time_ms,imgs_per_sec\n0,90,711\n1,80,800\n2,81,790\n' > resnet18_v100.csv
printf 'depth,base_filters,batch_size,num_params,dataset_size,epochs,time_per_epoch,images_per_second,max_gpu_mem_mb\n2,32,64,591274,40000,5,5,8000,160\n' > grid.csv
rows() { epochcast evaluate --networks "$@" --rows rows.csv > table && cut -d, -f1,3,4,6-11 rows.csv; }
rows simple.csv
rows resnet18_v100.csv --model resnet18
rows resnet18_v100.csv --model resnet18 --batch 32 --precision amp
rows grid.csv --device a100
rows grid.csv
