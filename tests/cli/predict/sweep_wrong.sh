epochcast predict resnet18 -d t4 -b 32,x
epochcast predict resnet18 -d t4 -b 32, 
epochcast predict resnet18 -d t4 -p fp32,fp23
epochcast predict 'nothing*' -d t4
epochcast predict resnet18 -d t4 --top 0
epochcast predict resnet18 -d t4,l4 --sort cost
# combinations that do not go together are passed over
epochcast predict resnet18 -d t4 --global-batch 64,66 --devices 4 --csv 2>&1 | cut -d , -f 1,4
