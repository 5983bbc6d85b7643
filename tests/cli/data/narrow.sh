# mask: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ
cat > gemm.csv <<EOF
device,precision,m,n,k,a_transposed,b_transposed,time_ms,library,above_peak
t4,fp32,4096,4096,4096,0,0,100,made-up 1,0
t4,fp32,4096,4096,4096,0,1,1,made-up 1,1
v100-sxm2-16gb,fp16_tensor_core,512,512,512,0,0,0.25,made-up 2,0
EOF
export EPOCHCAST_STORE=s
epochcast data import gemm.csv > /dev/null
COLUMNS=80 epochcast data list
COLUMNS=80 epochcast data list --op matmul
COLUMNS=80 epochcast data check
COLUMNS=80 epochcast data list --op matmul --csv | wc -L
