printf 'env,device,model,batch_size,iteration,time_s\na,t4,lenet5,8,0,0.001\na,t4,lenet5,8,1,0.003\n' >s.csv
printf 'env,device,model,batch_size,iteration,time_ns\na,t4,lenet5,8,0,1000000\na,t4,lenet5,8,1,3000000\n' >ns.csv
epochcast analyse s.csv --no-predict --csv >s.out
epochcast analyse ns.csv --no-predict --csv >ns.out
cmp s.out ns.out && cut -d, -f1-13 s.out
