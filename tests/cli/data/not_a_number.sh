printf 'env,device,model,batch_size,iteration,time_ms\na,t4,m,1,0,1\n' > steps.csv
epochcast data import steps.csv --store s
epochcast data show 7 --store s || echo status $?
epochcast data show seven --store s
