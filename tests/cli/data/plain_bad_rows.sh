# A bad row is told by its line and column; the others are kept.
cat > bad.csv <<EOF
model,gpu,batch_size,precision,step_time_ms
resnet50,A100,32,fp32,110.5
resnet50,A100,64,fp32,soon
resnet18,A100,,fp32,20
resnet18,A100,32,fp12,20
,A100,32,fp32,20
resnet18,A100,64,Mixed,20
EOF
epochcast data import bad.csv --store s
epochcast data list --store s --limit 9 --csv | cut -d, -f2-4,9
