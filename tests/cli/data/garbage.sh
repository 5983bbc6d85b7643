cat > mine.csv <<EOF
gpu,N,C,HW,K,ms
t4,8,16,20,32,1.5
t4,8,16,20,foo,1.5
t4,8,16,20,64,
t4,8,16,20,64,nan
t4,8,16,20,-64,1.5
,,,,,
EOF
cat > mine.map <<EOF
what = conv2d n={N} c={C} h={HW} w={HW} k={K} r=3 pad=same
device = {gpu}
framework = pytorch-2
forward_ms = {ms}
EOF
cat > steps.csv <<EOF
env,device,model,batch_size,iteration,time_ms
lab,t4,resnet18,32,0,nan
lab,t4,resnet18,-32,1,40
lab,t4,resnet18,32,2,1e400
,,,,,
EOF
export EPOCHCAST_STORE=s
epochcast data import mine.csv --mapping mine.map
epochcast data list --limit 9 --csv | cut -d, -f1,2,3,10,12,13
epochcast data check --csv | grep -v ,0,
epochcast data import steps.csv || echo status $?
sed 's/^what.*/&\nkind = foo/' mine.map > kind.map
epochcast data import mine.csv --mapping kind.map
