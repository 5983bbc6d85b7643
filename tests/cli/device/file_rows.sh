# tolerance: 0.02
# rows of a table of data sheets, one, several by a pattern, and all
printf 'GPU,Provisioning,Boost Clock (MHz),Memory (GB),GPU Memory Bandwidth (GB/s),Cores,SM,FP16,FP32\n' > GPUs.csv
printf 'L4,Cloud,2040,24,300,7424,60,30290,30290\n' >> GPUs.csv
printf 'RTX4090,Local,2520,24,1001,16384,128,82580,82580\nRTX9999,Local,3000,48,2000,20000,160,120000,120000\n' >> GPUs.csv
epochcast device list GPUs.csv
epochcast device show 'GPUs.csv:rtx 9999'
epochcast predict resnet50 --device 'GPUs.csv:RTX*,l4' --batch 64
epochcast predict resnet50 --device GPUs.csv:H100 --batch 64
printf 'model,batch_size,time_ms\nresnet50,64,400\n' > runs.csv
epochcast evaluate runs.csv --device GPUs.csv:RTX*
