# A file of the folder without a device is named and left out, as `analyse` does; a folder of such files is an error.
mkdir dir none
printf 'env,device,model,batch_size,iteration,time_ms\na,t4,mlp,1,0,1\n' > dir/a.csv
printf 'model,batch_size,iteration,time_ms\nmlp,1,0,1\n' | tee dir/b.csv > none/b.csv
epochcast data import dir --store s && echo status $?
epochcast data import none --store s
