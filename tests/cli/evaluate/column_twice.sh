# Two columns say the precision: one is used, and which is said. Memory without a unit: 6.1 can only be GiB.
printf 'model,device,batch,step_ms,precision,amp,gpu_mem\nresnet50,rtx3090,64,84,amp,no,6.1\n' > rows.csv
epochcast evaluate rows.csv | head -n 1
printf 'model,device,batch,gpu_mem\nresnet50,rtx3090,64,6100\n' > only.csv
epochcast evaluate only.csv
