cat >runs.csv <<'END'
env,model,batch_size,images_per_s
cpu,resnet18,4,12.5
cpu,resnet18,4,12.7
cpu,"<b>net & ""co""</b>",4,40
gpu,resnet18,4,400
END
epochcast plot throughput-environments runs.csv
