# A shipped mapping by its name, where columns would not decide.
printf 'batch_size,dim_in,dim_out,activation,optimizer,timed,device,time_ms\n8,16,32,relu,sgd,training_step,t4,1.5\n' >dense.csv
epochcast data import dense.csv --mapping justus-dense-all --store s
epochcast data list --store s --op linear --csv | cut -d, -f2,3,7,10
epochcast data import dense.csv --mapping justus --store s
epochcast data list --store s --csv | cut -d, -f2,3
