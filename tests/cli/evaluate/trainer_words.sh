# Columns as Trainer names them, flags for the precision and the order of memory, a mean with its spread.
printf '%s\n' 'model_name,per_device_train_batch_size,gpu,bf16,seq_length,train_samples_per_second' \
    'bert-base-uncased,16,A100,True,128,610' >trainer.csv
printf '%s\n' 'arch,batch_size_per_gpu,gpu_name,dtype,channels_last,step time' \
    'resnet50,32,Tesla T4,float16,1,90.2 ± 0.5 ms' 'resnet50,32,Tesla T4,float16,0,112 +/- 2 ms' >flags.csv
epochcast evaluate trainer.csv --csv | cut -d, -f3-6,9,10
epochcast evaluate flags.csv --csv | cut -d, -f3-6,9,10
epochcast evaluate flags.csv --csv 2>/dev/null | awk -F, 'NR > 1 { print $11 }' | sort -un | wc -l
