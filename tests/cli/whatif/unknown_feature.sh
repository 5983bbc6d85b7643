printf 'depth,base_filters,batch_size,num_params,time_per_epoch\n2,32,32,10,1\n2,64,32,20,2\n3,32,32,15,1.4\n3,64,32,40,3\n2,32,64,10,0.9\n' > grid.csv
epochcast whatif --table grid.csv depht=3
