# What calibrates: not a run that spilled into the host's memory, nor a table that does not say whose it is in a folder
# where others do; the name of a file says it too.
mkdir runs plain
printf 'device,model,batch,precision,step_time_ms\nrtx4080,resnet50,32,fp32,99.7\nrtx4080,resnet50,128,fp32,5100\nt4,resnet50,32,fp32,334\n' > runs/all.csv
printf 'model,batch,precision,step_time_ms\nresnet18,32,fp32,34\n' > runs/trial.csv
cp runs/trial.csv runs/t4.csv
cp runs/trial.csv plain
for device in rtx4080 t4; do
    epochcast calibrate --device $device --table runs | sed '/^$/,$d'
done
epochcast calibrate --device t4 --table plain | sed '/^$/,$d'
epochcast calibrate --device rtx4080 --row 'resnet50 batch=128 time_ms=5100'
