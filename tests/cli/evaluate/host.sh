# The last host of the list, whichever that is: rows on GPUs are predicted with it, others as ever.
host=$(epochcast device hosts --csv | sed -n '$s/,.*//p')
cat > table.csv <<'END'
device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,num_gpus,time_ms
T4,mobilenet_v2,x,2,224,forward_backward,s,fp32,1,100
cpu-epyc-2vcpu,resnet18,x,16,224,forward_backward,s,fp32,1,100
END
epochcast evaluate --networks table.csv --host $host --rows rows.csv > /dev/null 2>&1
epochcast predict mobilenet_v2 -d t4 -b 2 --mode forward_backward --optimizer none --framework pytorch-1 --host $host \
    --json > gpu.json
epochcast predict resnet18 -d cpu-epyc-2vcpu -b 16 --mode forward_backward --framework pytorch-1 --json > cpu.json
python3 - <<'END'
import csv, json
rows = list(csv.DictReader(open("rows.csv")))
for row, name in zip(rows, ("gpu", "cpu")):
    p = json.load(open(name + ".json"))["step_time_ns"]["p50"]
    print(name, abs(float(row["predicted_p50"]) / p - 1) < 1e-4)
END
epochcast evaluate --networks table.csv --host nobody 2>&1 | cut -d ';' -f 1
epochcast evaluate --operators table.csv --host reference
