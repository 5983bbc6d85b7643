# Adapters and sharded runs are not judged as full training of one device.
cat > runs.csv <<'T'
model,device,batch,precision,tuning,tp,step_time_ms
resnet50,v100-sxm2-16gb,64,fp32,full,1,180
resnet50,v100-sxm2-16gb,64,fp32,lora,1,90
resnet50,v100-sxm2-16gb,64,fp32,none,2,95
T
epochcast evaluate runs.csv
