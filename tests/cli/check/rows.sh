# Rows as `evaluate` reads them: a verdict for each, the exit status of the worst.
cat >runs.csv <<'END'
model,gpu,batch_size,precision,step_time_ms
resnet50,rtx3090,64,fp32,1
resnet50,rtx3090,64,amp,9000
END
epochcast check runs.csv --json | python3 -c '
import json, sys
print([(r["line"], r["batch"], r["verdict"], r["inside"], r["likely"]) for r in json.load(sys.stdin)["rows"]])'
epochcast check runs.csv | tail -1
epochcast check runs.csv >/dev/null
echo $?
sed -i 3d runs.csv
epochcast check runs.csv >/dev/null
echo $?
epochcast check runs.csv --tolerance 10 --json | python3 -c '
import json, sys
print([(r["verdict"], r["inside"]) for r in json.load(sys.stdin)["rows"]])'
