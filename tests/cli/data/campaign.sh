# mask: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ
header=run,key,measured_utc,kind,what,family,phase,method,outcome,note,batch,image_px,seq_len
header=$header,precision,layout,execution,optimizer,threads,num_devices,device,device_name,machine
header=$header,engine,engine_version,framework,cuda,cudnn,driver,onednn,blas,allocator,n_warm_up,calls_per_sample,stop
header=$header,samples_ns,device_samples_ns,memory_peak_bytes,memory_reserved_bytes,held_out,seed,flags
header=$header,tool,tool_version
cat > layers.csv <<EOF
$header
0123456789ab,k1,2026-01-02T03:04:05Z,operator,relu x=1024x1024,relu,forward,separated,ok,,,,,fp32,channels-first,eager,none,,1,t4,A Card,abc,pytorch,2.1.0,pytorch-2,12.1,,,,,,3,1,ci,60000 50000 40000.5,45000 44000 40000,1000,2000,0,1,,collect.py,0.1.0
0123456789ab,k2,2026-01-02T03:04:06Z,operator,relu x=1024x1025,relu,forward,separated,ok,,,,,fp32,channels-first,eager,none,,1,t4,A Card,abc,pytorch,2.1.0,pytorch-2,12.1,,,,,,3,1,ci,60000 50000 40000.5,,1000,2000,1,1,,collect.py,0.1.0
0123456789ab,k3,2026-01-02T03:04:07Z,operator,conv2d n=1 c=8 h=8 w=8 k=8 r=3,conv2d,forward,separated,error,"not, said why",,,,fp32,channels-first,eager,none,,1,t4,A Card,abc,pytorch,2.1.0,pytorch-2,12.1,,,,,,,,,,,,,0,1,,collect.py,0.1.0
EOF
echo '{"schema":"epochcast.machine/1"}' > machine-abc.json
export EPOCHCAST_STORE=store.sqlite
epochcast data import layers.csv
epochcast data import layers.csv
epochcast data show 1
epochcast data list
epochcast evaluate --operators layers.csv --csv | cut -d, -f1-4
epochcast evaluate --operators layers.csv --mapping campaign-case-held-out --csv | cut -d, -f1-4
