epochcast analyse || true
printf 'a,b\n1,2\n' >x.csv
epochcast analyse x.csv || true
printf 'env,device,model,batch_size,iteration,time_s\na,t4,no_such_network,8,0,0.001\n' >s.csv
epochcast analyse s.csv || true
printf 'env,device,model,batch_size,iteration,time_s\n' >s.csv
epochcast analyse s.csv
