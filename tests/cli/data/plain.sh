# Tables of users need no mapping file; what one lacks an option gives, or the file's name.
printf 'model,gpu,batch_size,step_time_ms\nresnet50,A100,32,110.5\nResNet-18,v100,64,80\n' > simple.csv
printf 'Model;x,Network,GPU Name,Batch Size,Images/s,Precision,peak memory (GB)\n1,vgg16,Tesla T4,16,32,Mixed,2\n' > spelt.csv
printf 'iter_idx,iter_time_ms,imgs_per_sec\n0,90,711\n1,80,800\n2,81,790\n' > resnet18_v100.csv
printf 'depth,base_filters,batch_size,num_params,dataset_size,epochs,time_per_epoch,images_per_second,max_gpu_mem_mb\n2,32,64,591274,40000,5,5,8000,160\n' > grid.csv
printf 'model,batch,time_s\nvgg16,8,2\n' > bare.csv
export EPOCHCAST_STORE=s
epochcast data import simple.csv spelt.csv
epochcast data import resnet18_v100.csv --model resnet18
epochcast data import grid.csv --device rtx3090
epochcast data import bare.csv --device t4 --precision bf16
epochcast data list --limit 20 --csv | cut -d, -f2-5,7-11
# what was recorded is found by the key of the catalogue, however the table called the device
epochcast calibrate --device a100 --from-store --csv 2> err | cut -d, -f1-4
