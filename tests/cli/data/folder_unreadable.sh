mkdir dir
printf 'env,device,model,batch_size,iteration,time_ms\na,t4,m,1,0,1\n' > dir/a.csv
printf 'model,epoch,train_loss\nm,1,2\n' > dir/curves.csv
ln -s nowhere dir/x.csv
epochcast data import dir --store s || echo status $?
