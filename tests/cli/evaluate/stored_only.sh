cat > several.csv <<EOF
device,num_devices,num_nodes,num_floats,time_ms,algorithm
v100-sxm2-16gb,8,1,100000,0.5,ring
EOF
epochcast evaluate --networks several.csv
