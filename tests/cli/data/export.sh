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
epochcast data export --store s
epochcast data export --store s --json --network "*" > steps.jsonl
epochcast data import steps.jsonl --store t
epochcast data export --store s > all.csv
epochcast data import all.csv --store t
epochcast data import all.csv --store s
epochcast data export --store t --kind network | tail -n 1 | cut -d, -f1-8
epochcast data list --store s --device 't4,v100*' --op matmul --csv | wc -l
epochcast data list --store s --device 'v100*, nothing' --op matmul --csv | wc -l
epochcast analyse --store s --device nothing,t4 --no-predict --csv | cut -d, -f1-4
