# What is missing is one sentence, and what would do.
printf 'model,device,step_time_ms\nvgg16,t4,2\n' > batch.csv
printf 'iter_idx,iter_time_ms\n0,2\n' > most.csv
printf 'model,device,batch,step_time\nvgg16,t4,8,2\n' > unit.csv
for file in batch most unit; do epochcast data import $file.csv --store s; done
