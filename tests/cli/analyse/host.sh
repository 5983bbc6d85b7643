# The last host of the list, whichever that is.
host=$(epochcast device hosts --csv | sed -n '$s/,.*//p')
printf 'env,device,model,batch_size,iteration,time_ms\nx,t4,mobilenet_v2,2,0,30\nx,t4,mobilenet_v2,2,1,30\n' > runs.csv
epochcast analyse runs.csv --csv --host $host > runs.out
epochcast predict mobilenet_v2 -d t4 -b 2 --host $host --json > p.json
python3 - <<'END'
import csv, json
row = next(csv.DictReader(open("runs.out")))
p = json.load(open("p.json"))["step_time_ns"]["p50"]
print(abs(float(row["predicted_ns"]) / p - 1) < 1e-6 or (row["predicted_ns"], p))
END
epochcast analyse runs.csv --host nobody 2>&1 | cut -d ';' -f 1
