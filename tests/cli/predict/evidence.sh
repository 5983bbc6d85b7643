cat > steps.csv <<EOF
env,device,model,batch_size,iteration,time_ms
lab,t4,resnet18,32,0,40
lab,t4,resnet34,32,0,60
lab,rtx3090,resnet18,64,0,30
lab,t4,mobilenet_v2,32,0,10
EOF
cat > gemm.csv <<EOF
device,precision,m,n,k,a_transposed,b_transposed,time_ms,library,above_peak
t4,fp32,4096,4096,4096,0,0,20,made-up 1,0
v100-sxm2-16gb,fp32,512,512,512,0,0,0.25,made-up 2,0
t4,fp32,512,512,512,0,0,0.5,made-up 2,0
EOF
epochcast data import steps.csv gemm.csv --store s > /dev/null
epochcast predict resnet18 --batch 32 --device t4 --evidence 5 --store s | sed '1,/measured nearest/d'
epochcast predict --op 'matmul b=1 m=512 k=512 n=512' --phase forward --device t4 --evidence 2 --store s |
    sed '1,/measured nearest/d'
epochcast predict resnet18 --batch 32 --device t4 --evidence 1 --store s --json | sed -n '/"evidence"/,$p'
epochcast predict vgg16 --device t4 --evidence 1 --store s | tail -1
