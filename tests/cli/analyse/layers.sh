# Single layers, which are no runs of networks: the same rows as `data import` keeps and `report` draws.
head=batchsize,matsize,kernelsize,channels_in,channels_out,strides,padding,precision,use_bias,gpu,timeUsed_median,timeUsed_min
head=$head,timeUsed_max,timeUsed_std,elements_matrix,opt_Adam,opt_SGD,act_None,act_relu
awk -v head=$head 'BEGIN { print head
    for (c = 8; c <= 64; c *= 2) printf "16,32,3,%d,%d,1,1,32,0,2,%g,1,1,0,1024,0,1,1,0\n", c, c, 5 + c * c / 1e3 }' > layers.csv
epochcast analyse layers.csv --device p100
epochcast analyse layers.csv --device p100 --csv
printf 'device,op,colour\n' > other.csv
epochcast analyse other.csv
