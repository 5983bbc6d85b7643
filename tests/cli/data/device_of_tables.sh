# --device is for tables without such a column; beside rows that name another it is refused.
printf 'env,device,model,batch_size,iteration,time_ms\na,t4,resnet18,1,0,1\n' > named.csv
printf 'model,depth,base_filters,batch_size,num_params,time_per_epoch\ncifar_cnn,3,16,64,1000,2.5\n' > grid.csv
epochcast data import named.csv grid.csv --device rtx3090 --store s
epochcast data import named.csv --store s
epochcast data list --store s --limit 9 --csv | cut -d, -f2-4
