cat > table.csv <<'END'
device,op,rows_b,cols_h,split,time_ms
T4,relu,4096,1024,x,1
T4,"softmax",4096,1024,x,2
T4,add,4096,1024,x,2
END
epochcast evaluate --operators table.csv --by family --csv | cut -d , -f 1-4
epochcast evaluate --operators table.csv --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"])
for g in d["groups"]:
    print(g["table"], g["group"], g["rows"], sorted(g))'
