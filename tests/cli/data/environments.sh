# Machines named by a column of environments or by the folder: column device says cuda everywhere.
head='env,device,model,batch_size,iter_idx,iter_time_ms,imgs_per_sec,timestamp'
mkdir -p results/envA_4080 results/envB_cpu
printf "$head\nenvA,cuda,resnet18,64,0,100,640,1\nenvA,cuda,resnet18,64,1,102,627,2\n" > results/envA_4080/resnet18_b64.csv
printf "$head\nenvA,cuda,resnet18,64,0,6000,10.7,1\nenvA,cuda,resnet18,64,1,6100,10.5,2\n" > results/envB_cpu/resnet18_b64.csv
printf "$head,environment,env_code\nenvA,cuda,resnet18,64,0,100,640,1,RTX 4080,A\nenvA,cuda,resnet18,64,0,6000,10.7,1,CPU,B\nenvA,cuda,resnet18,64,0,200,320,1,T4 GPU,C\n" > combined.csv
echo '--- by folder'
epochcast data import results --environment envB_cpu=cpu-i9-14900hx --store s
echo '--- by column'
epochcast data import combined.csv --store s
epochcast data list --store s --limit 9 --csv | cut -d, -f2-3
echo '--- --device beside a column or a folder that says otherwise'
epochcast data import combined.csv --device t4 --store s
epochcast data import results --device rtx4080 --store s
epochcast evaluate combined.csv --device t4
epochcast report combined.csv --device t4
epochcast fit combined.csv --device t4
echo '--- a choice among rows that say their device'
epochcast analyse combined.csv --device t4 --no-predict --csv | cut -d, -f1-4
epochcast calibrate --device t4 --table combined.csv | head -4
epochcast data import combined.csv --environment CPU
echo '--- folders'
printf "$head\nenvA,cuda,resnet18,32,0,36,880,1\n" > results/test_run.csv
epochcast analyse results --no-predict --csv | cut -d, -f1-4
epochcast evaluate results --csv | cut -d, -f1-5
epochcast data import results/envA_4080/ --store slash # as a shell completes it
