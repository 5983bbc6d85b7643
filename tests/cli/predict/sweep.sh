# Every combination of what was joined by commas: one table, sorted, with the columns that vary.
epochcast predict resnet18,vgg11 -d t4,a100-sxm4-40gb -b 32,64 -p fp32,amp --csv | cut -d , -f 1,2,5,6 | sort > all
wc -l < all
cut -d , -f 1-3 all | sort | uniq -c | sed 's/^ *//' | head -3
epochcast predict resnet18 -d a100-sxm4-40gb -b 32,64,max -p fp32,amp --top 3 |
    sed -E 's/ +/ /g; s/[0-9.]+ (ms|s|GiB)/#/g; s/─+/─/; s/ [0-9]{3,}/ #/g; s/ +$//'
epochcast predict resnet18 -d t4 -b 16,8 --sort memory --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["predictions"]
print([(r["batch"], r.get("fastest", False)) for r in rows])'
epochcast predict 'vgg1[' -d t4 2>&1
epochcast predict 'vgg*' -d t4 -b 4 --csv | cut -d , -f 1 | sort | tail -n 2
