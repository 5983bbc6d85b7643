# Rows of several devices: an answer for each, the fastest first; one with few rows is left out.
# tolerance: 0.02
awk 'BEGIN { print "network,gpu,batch,precision,step_time_ms,test_accuracy"
    for (b = 8; b <= 1024; b *= 2) {
        printf "resnet18,t4,%d,fp32,%.3f,%.3f\n", b, 2.1 * b, 1 - b / 4096
        printf "resnet18,v100,%d,fp32,%.3f,%.3f\n", b, 0.8 * b, 1 - b / 4096
    }
    print "resnet18,a100,8,fp32,5.2,0.9" }' > runs.csv
epochcast whatif runs.csv batch=48
epochcast whatif runs.csv batch=8,48 --budget 50 --csv 2>/dev/null | cut -d, -f1,2,6
epochcast whatif runs.csv gpu=t4 batch=48 --csv 2>/dev/null | cut -d, -f1
epochcast whatif runs.csv --device t4 batch=48 --csv 2>/dev/null | cut -d, -f1
sed -n '1p; /a100/p' runs.csv > few.csv
echo resnet18,t4,8,fp32,5,0.9 >> few.csv
epochcast whatif few.csv
# Devices on which different conditions or networks were measured have no answer in common.
sed 's/\(t4.*\)fp32/\1amp/' runs.csv > apart.csv
epochcast whatif apart.csv
sed 's/resnet18,t4/resnet50,t4/' runs.csv > apart.csv
epochcast whatif apart.csv
awk 'BEGIN { print "gpu,batch,step_time_ms"; for (i = 0; i < 80; i++) printf "my-card-%d,%d,%d\n", i / 2, i + 1, i + 1 }' > many.csv
epochcast whatif many.csv
