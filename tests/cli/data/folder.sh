# mask: [0-9a-f]{12}$
cat > gemm.csv <<EOF
device,precision,m,n,k,a_transposed,b_transposed,time_ms,library,above_peak
t4,fp32,4096,4096,4096,0,0,100,made-up 1,0
t4,fp32,4096,4096,4096,0,1,1,made-up 1,1
v100-sxm2-16gb,fp16_tensor_core,512,512,512,0,0,0.25,made-up 2,0
EOF
mkdir -p dir/deeper none
mv gemm.csv dir/deeper/
printf 'env,device,model,batch_size,iteration,time_ms\na,t4,m,1,0,1\n' > dir/steps.csv
printf 'model,epoch,train_loss\nm,1,2\n' > dir/curves.csv
printf 'colour,taste\nred,sweet\n' > bad.csv
echo 'no table' > dir/notes.txt
export EPOCHCAST_STORE=s
epochcast data import dir none && echo status $?
echo
epochcast data import bad.csv dir/steps.csv missing.csv dir/deeper/gemm.csv || echo status $?
