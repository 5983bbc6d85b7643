cat > several.csv <<EOF
device,num_devices,num_nodes,num_floats,time_ms,algorithm
v100-sxm2-16gb,8,1,100000,0.5,ring
EOF
epochcast evaluate --networks several.csv
printf '%s\n' device,network,batch_size,img_size,iteration,precision,timed,time_ms,framework,framework_version,interval_ms,unsynchronised_suspect,memory_spill_suspect \
    t4,resnet18,64,224,0,fp32,training_step,93.5,pytorch,2.6.0,93.9,0,0 >iterations.csv
epochcast evaluate iterations.csv
