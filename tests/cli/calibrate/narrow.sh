# On a narrow terminal columns are left out by name, sentences are broken between words, commands are not.
cat >rows.csv <<'END'
model,device,batch,precision,step_time_ms
resnet50,t4,16,fp32,155
resnet18,t4,64,fp32,30
END
for columns in 40 60; do
    export COLUMNS=$columns
    epochcast calibrate --device t4 --table rows.csv --out t4.json 2>&1
    epochcast evaluate rows.csv 2>&1
done
cp rows.csv rows_of_a_second_evening.csv
COLUMNS=80 epochcast evaluate rows.csv rows_of_a_second_evening.csv 2>/dev/null | head -n 4
