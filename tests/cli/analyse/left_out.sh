cat > steps.csv <<EOF
env,device,model,batch_size,iteration,time_ms
lab,t4,resnet18,32,0,40
lab,t4,resnet18,32,1,nan
lab,t4,resnet18,32,2,41
EOF
printf 'env,device,model,batch_size,iteration,time_ms\n,,,,,\n' > empty.csv
epochcast analyse steps.csv --no-predict --csv | wc -l
epochcast analyse empty.csv --no-predict
