# Limits of a list of jobs, and results beside them.
cat >jobs.csv <<'END'
job,model,op,collective,bytes,device,devices,batch,precision,mode
train,resnet50,,,,a100,8,64,amp,
gemm,,matmul m=4096 k=4096 n=4096,,,a100,,,amp,forward
copy,,roll x=100000000 shifts=1 axes=0,,,a100,,,,forward
bus,,,all_reduce,1GiB,a100,8,,,
END
epochcast check jobs.csv --thresholds limits.json --tolerance 5%
python3 - <<'END'
import json
l = json.load(open("limits.json"))
print(l["schema"], l["tolerance_frac"])
for j in l["jobs"]:
    assert j["time_p05_ns"] < j["time_p50_ns"] < j["time_p95_ns"]
    for key in ("samples", "flop", "bytes"):
        if key + "_per_step" in j:
            assert abs(j[key + "_p05_per_s"] * j["time_p95_ns"] / 1e9 / j[key + "_per_step"] - 1) < 1e-9
    print(j["job"], sorted(j))
by = {j["job"]: j for j in l["jobs"]}
with open("results.csv", "w") as f:
    print("job,measured", file=f)
    print(f"train,{by['train']['samples_per_step'] / by['train']['time_p50_ns'] * 1e9} img/s", file=f)
    print(f"gemm,{by['gemm']['flop_per_step'] / by['gemm']['time_p50_ns'] / 1e3} TFLOP/s", file=f)
    print(f"copy,{by['copy']['time_p50_ns'] / 1e6}ms", file=f)
    print(f"bus,{by['bus']['bytes_per_step'] / by['bus']['time_p50_ns']} GB/s", file=f)
END
epochcast check results.csv --against limits.json --csv | cut -d, -f1,5-
epochcast check results.csv --against limits.json >/dev/null
echo $?
sed 's/^gemm.*/gemm,1 s/; s/^bus.*/bus,9 TB\/s/' results.csv >slow.csv
epochcast check slow.csv --against limits.json | sed -E 's/[0-9.]+ (us|ms|s)\b/#/g; s/  [0-9.]+ / # /; s/ +/ /g'
epochcast check slow.csv --against limits.json >/dev/null
echo $?
sed -i '/^copy/d' results.csv
epochcast check results.csv --against limits.json >/dev/null
echo $?
echo 'trian,1 s' >>results.csv
epochcast check results.csv --against limits.json
printf 'job,measured\ngemm,fast\n' >odd.csv
epochcast check odd.csv --against limits.json
