# tolerance: 0.02
# mask: plain/[0-9a-f]+
# a data sheet of three numbers, wherever a key is taken; what was assumed is said once
printf '{"bandwidth": 900, "cores": 5120, "clock": 1455, "color": "red"}' > mine.json
printf 'model,batch_size,precision,framework,time_ms\nresnet50,64,fp32,pytorch-2,210\nresnet18,64,fp32,pytorch-2,70\n' > runs.csv
epochcast predict resnet50 --device mine.json --batch 64
epochcast roofline resnet18 --device mine.json --batch 32
epochcast evaluate runs.csv --device mine.json
printf 'environment,model,batch_size,precision,time_ms\nbig,resnet50,64,fp32,210\n' > env.csv
epochcast evaluate env.csv --environment big=mine.json
epochcast calibrate --table runs.csv --device mine.json -o profile.json
epochcast predict resnet50 --device mine.json --batch 64 --profile profile.json | tail -n 2
epochcast data import runs.csv --device mine.json --store store.sqlite
epochcast data list --device mine.json --store store.sqlite
epochcast report runs.csv --device mine.json -o page
printf '{"model": "resnet18", "device": "mine.json"}\n{"model": "resnet18", "device": "none.json"}\n' > requests.jsonl
epochcast predict --requests requests.jsonl | sed 's/.*\("warnings"\|"message"\)/\1/'
epochcast predict --requests requests.jsonl --no-files | sed 's/.*"message"/"message"/'
