# Layers as scripts write them, and tables that are no measurements.
of_times='timeUsed_median,timeUsed_min,timeUsed_max,timeUsed_std'
printf "IT,batchsize,dim_input,dim_output,precision,activation_fct,optimizer,$of_times,GPU\n902,60,2558,3761,32,0,0,0.30,0.29,0.31,0.001,L4\n1440,3,2197,417,32,3,2,0.9,0.9,0.91,0.001,T4\n" > Dense.csv
awk -v t="$of_times" 'BEGIN { print "batchsize,matsize,kernelsize,channels_in,channels_out,strides,padding,precision,use_bias,gpu," t ",elements_matrix,opt_Adam,opt_SGD,act_None,act_relu"
    for (i = 1; i <= 24; i++) print i ",64,3,16," 8 * i ",1,1,32,0,2," 20 + i * i / 4 ",1,900,1,4096," i % 2 "," 1 - i % 2 ",1,0" }' > conv_P100.csv
printf 'environment,model,batch_size,avg_time_ms,std_time_ms,num_iterations,avg_throughput\nCPU,resnet18,64,6208,276,50,10.3\n' > summary.csv
printf 'model,batch_size,CPU,RTX 4080,T4 GPU\nresnet18,64,10.33,,\n' > compared.csv
epochcast data import Dense.csv conv_P100.csv --store s
epochcast data list --store s --limit 3 --csv | cut -d, -f2-8
epochcast evaluate Dense.csv --csv | cut -d, -f1-5
epochcast evaluate Dense.csv --mapping prenet-dense-all --csv | cut -d, -f1-5
epochcast evaluate conv_P100.csv
epochcast analyse conv_P100.csv
epochcast fit conv_P100.csv
epochcast fit --op conv2d --data conv_P100.csv --family linear --features memory --csv 2>&1 | cut -d, -f1-4
for file in summary compared; do
    epochcast data import $file.csv --store s
    for command in analyse evaluate report fit 'calibrate --device t4 --table'; do epochcast $command $file.csv; done
done
mkdir both && cp Dense.csv summary.csv compared.csv both && epochcast data import both --store t
