# Runs that ran out of memory are told, beside the prediction; a misspelt network is not compared.
cat > mine.csv <<'END'
model,gpu,batch_size,precision,step_time_ms,status
resnet50,T4,32,fp32,290,ok
vgg16,T4,32,fp32,420,ok
mobilenet_v2,T4,32,fp32,101,ok
resnet5O,T4,32,fp32,9000,ok
vgg16,T4,512,fp32,,oom
END
epochcast analyse mine.csv
mkdir results && mv mine.csv results
epochcast report results
grep -A4 '## Runs that ran out of memory' results/report/report.md
