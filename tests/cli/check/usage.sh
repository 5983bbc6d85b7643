# What goes not together.
epochcast check
echo $?
epochcast check resnet50 -d t4 --measured 1s --from x.log
epochcast check resnet50 -d t4,l4 --measured 1s
epochcast check resnet50 --measured 1s
epochcast check resnet50 -d t4 --measured 94 ms
epochcast check resnet50 -d t4 --measured '1 ms' --batch 64 --precision amp | grep -A 1 'no run'
epochcast check resnet50 -d t4 --measured fast
epochcast check resnet50 -d t4 --measured '3 tokens/s'
epochcast check resnet50 -d t4 --measured 1s --tolerance much
epochcast check resnet50 --op 'relu x=8' -d t4 --measured 1s
epochcast check --collective all_reduce -d t4 --devices 2 --measured 1s
epochcast check --collective all_reduce --bytes 1XB -d t4 --devices 2 --measured 1s
epochcast check resnet50 -d t4 --measured 1s --csv
epochcast check resnet50 -d t4 --bytes 1MB
echo 'model,device,batchsize
resnet50,t4,8' >jobs.csv
epochcast check jobs.csv --thresholds out.json
