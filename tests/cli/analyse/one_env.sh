# One name of an environment with two devices: two runs, told apart.
printf 'env,device,model,batch_size,iteration,time_ms\nlab,a100,resnet50,32,0,100\nlab,a100,resnet50,32,1,102\nlab,t4,resnet50,32,0,400\nlab,t4,resnet50,32,1,404\n' > four.csv
epochcast analyse four.csv --no-predict
