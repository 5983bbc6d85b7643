# Tables of a folder: what holds for several is said once, and one sentence judges all rows.
mkdir -p runs/envA_3090 runs/envB_t4
head='env,device,model,batch_size,iteration,time_ms,timestamp'
printf '%s\nenvA,cuda,resnet18,64,0,31,1\nenvA,cuda,resnet18,64,1,30,2\n' "$head" > runs/envA_3090/resnet18_b64.csv
printf '%s\nenvA,cuda,resnet50,64,0,4000,1\nenvA,cuda,resnet50,64,1,4010,2\n' "$head" > runs/envA_3090/resnet50_b64.csv
printf '%s\nenvB,cuda,resnet18,64,0,900,1\nenvB,cuda,resnet18,64,1,910,2\n' "$head" > runs/envB_t4/resnet18_b64.csv
printf 'model,loss\nresnet18,3\n' > runs/curve.csv
# Numbers of the fit are not the point here.
epochcast evaluate runs | sed -n '/^  inside/,$p' | sed 's/[0-9.]* %/N %/g; s/[0-9.]* GiB/N GiB/g'
epochcast evaluate runs --csv | cut -d, -f1-6
epochcast data import runs --store s
# A terminal of 80 columns tells files of one name apart; what is the same in all rows is no column.
COLUMNS=80 epochcast evaluate runs 2>/dev/null | sed -n '/^table/,/^$/s/^\([^ ]* *[^ ]*\).*/\1/p'
# A colon in the name of a folder is no border between a path and what is said of it.
mkdir -p 'a: b' && cp runs/curve.csv runs/envB_t4/resnet18_b64.csv 'a: b'
epochcast evaluate 'a: b' --device t4 --csv | cut -d, -f1-6
epochcast analyse runs --csv | cut -d, -f1-4
