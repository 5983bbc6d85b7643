header=run,key,measured_utc,kind,what,family,phase,method,outcome,note,batch,image_px,seq_len
header=$header,precision,layout,execution,optimizer,threads,num_devices,device,device_name,machine
header=$header,engine,engine_version,framework,cuda,cudnn,driver,onednn,blas,allocator,n_warm_up,calls_per_sample,stop
header=$header,samples_ns,device_samples_ns,memory_peak_bytes,memory_reserved_bytes,held_out,seed,flags
header=$header,tool,tool_version
row() { # key kind what phase method outcome samples
    echo "0123456789ab,$1,2026-01-02T03:04:05Z,$2,$3,${3%% *},$4,$5,$6,,,,,fp32,channels-first,eager,none,1,1,t4,A Card,abc,pytorch,2.1.0,pytorch-2,12.1,,,,,,3,1,ci,$7,,,,0,1,,collect.py,0.1.0"
}
mkdir results
{
    echo "$header"
    row k1 operator 'conv2d n=1 c=64 h=56 w=56 k=64 r=3 pad=1' forward separated ok '300000 200000 400000'
    row k2 operator 'conv2d n=1 c=64 h=56 w=56 k=64 r=3 pad=1' grad_data separated ok '500000'
    row k3 operator 'conv2d n=2 c=64 h=56 w=56 k=64 r=3 pad=1' forward separated ok '700000'
    row k4 operator 'cross_entropy n=32 c=1000' forward_backward separated ok '20000'
    row k5 operator 'conv2d n=1 c=64 h=56 w=56 k=64 r=3 pad=1' update separated ok '5000'
    row k6 operator 'conv2d n=4 c=64 h=56 w=56 k=64 r=3 pad=1' forward separated unsupported ''
    row k7 operator 'conv2d n=1 c=64 h=56 w=56 k=64 r=3 pad=1' step justus ok '9000000'
} >results/layers.csv
{
    echo "$header"
    row c1 ceiling 'gemm m=1024 n=1024 k=1024' forward ceiling ok '500000'
    row c2 ceiling 'copy bytes=1000000' forward ceiling ok '5000'
    row c3 ceiling 'copy bytes=100000000' forward ceiling ok '1000000'
} >results/ceilings.csv
epochcast report results --out page
sed -n '/^## Single layers/,/^## Operators/p; /^!/p' page/report.md
cut -d, -f1-3,6-8 page/tables/roofline-layers.csv
