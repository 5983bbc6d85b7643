# Repeats are one line; nearer devices come first.
cat > steps.csv <<EOF
env,device,model,batch_size,iteration,time_ms
lab,k40-12gb,resnet18,32,0,400
lab,a100-sxm4-40gb,resnet18,32,0,20
lab,a100-sxm4-40gb,resnet18,32,1,22
lab,a100-sxm4-40gb,resnet18,32,2,24
EOF
epochcast data import steps.csv --store s > /dev/null
epochcast predict resnet18 --batch 32 --device h100-sxm5-80gb --evidence 3 --store s | sed '1,/measured nearest/d'
epochcast predict resnet18 --batch 32 --device h100-sxm5-80gb --evidence 3 --store s | sed '1,/measured nearest/d' | awk 'length($0) > 80'
