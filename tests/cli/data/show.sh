# mask: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ
cat > gemm.csv <<EOF
device,precision,m,n,k,a_transposed,b_transposed,time_ms,library,above_peak
t4,fp32,4096,4096,4096,0,0,100,made-up 1,0
t4,fp32,4096,4096,4096,0,1,1,made-up 1,1
v100-sxm2-16gb,fp16_tensor_core,512,512,512,0,0,0.25,made-up 2,0
EOF
cat > steps.csv <<EOF
env,device,model,batch_size,iteration,time_ms
lab,t4,resnet18,32,0,90
lab,t4,resnet18,32,1,40
lab,t4,resnet18,32,2,42
EOF
epochcast data import gemm.csv steps.csv --store s >/dev/null
epochcast data show 3 4 --store s
epochcast data show 1 --store s --json
epochcast data show 2 --store s --markdown
