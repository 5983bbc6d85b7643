# Each row tells what of a step it measures, also where that is the whole.
cat > table.csv <<'END'
device,batch_size,dim_in,dim_out,activation,optimizer,timed,time_ms
v100-sxm2-16gb,32,512,512,none,none,forward,0.1
v100-sxm2-16gb,32,512,512,relu,sgd,training_step,0.5
END
epochcast evaluate --operators table.csv --mapping justus-dense-all --rows rows.csv > /dev/null
cut -d , -f 1-4,6-10 rows.csv
cat > table.csv <<'END'
device,op,rows_b,cols_h,split,time_ms
T4,relu,4096,1024,x,1
END
epochcast evaluate --operators table.csv --rows rows.csv > /dev/null
cut -d , -f 1-4,6-10 rows.csv
