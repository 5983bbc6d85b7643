# What is to be calibrated to is all tables that have rows of the device, or their folder; the command can be run as it stands.
mkdir runs
for at in 32:99 64:197 128:395; do
    printf 'device,model,batch,precision,step_time_ms\nrtx4080,resnet50,%s,fp32,%s\n' ${at%:*} ${at#*:} >runs/b${at%:*}.csv
done
printf 'device,model,batch,precision,step_time_ms\nt4,resnet50,32,fp32,334\n' >runs/t4.csv
for tables in 'runs/t4.csv runs/b32.csv runs/b64.csv runs/b128.csv' runs; do
    epochcast evaluate $tables 2>/dev/null | tr -s '\n ' ' ' | grep -o 'epochcast calibrate .*json' >command
    cat command
    . ./command 2>/dev/null | grep -c '^resnet50'
done
