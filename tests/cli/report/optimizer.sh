# An optimizer that a table does not say is that of predict: AdamW for tokens, SGD for images. What it says stays.
cat > runs.csv <<'T'
model,device,batch,seq_len,precision,optimizer,step_time_ms
gpt2,h100,8,1024,bf16,,60
gpt2,h100,16,1024,bf16,sgd,60
resnet50,h100,64,,amp,,30
resnet50,h100,128,,amp,adam,60
gpt2,h100,4096,1024,bf16,,OOM
T
epochcast report runs.csv --out page
cut -d, -f1,2,6,8 page/tables/memory.csv
# one prediction, whichever command makes it
epochcast evaluate runs.csv --csv 2>/dev/null | grep time_ns | cut -d, -f3,5,11 | tee evaluated
cut -d, -f3,4,44 page/tables/runs.csv | tail -n +2 | sort -t, -k1,1 -k2,2n | cmp - evaluated
epochcast predict gpt2 -d h100 -b 8 --seq-len 1024 -p bf16 --csv | cut -d, -f9,45
