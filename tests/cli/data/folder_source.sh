mkdir dir
printf 'env,device,model,batch_size,iteration,time_ms\na,t4,m,1,0,1\n' > dir/a.csv
printf 'env,device,model,batch_size,iteration,time_ms\na,t4,n,1,0,1\n' > dir/b.csv
export EPOCHCAST_STORE=s
epochcast data import dir --source mine || echo status $?
epochcast data list --csv --limit 9 | wc -l
rm dir/b.csv
epochcast data import dir --source mine
