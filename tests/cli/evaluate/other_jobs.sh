# Adapters and sharded runs are judged as the jobs they are, and calibrate nothing.
cat > runs.csv <<'T'
model,device,batch,seq_len,precision,num_gpus,tuning,rank,fsdp,tp,step_time_ms
gpt2,h100,8,1024,bf16,1,full,,no,1,60
gpt2,h100,8,1024,bf16,1,lora,16,no,1,45
gpt2,h100,8,1024,bf16,8,none,,full_shard,1,66
gpt2,h100,8,1024,bf16,8,none,,no,4,80
gpt2,h100,8,1024,bf16,8,none,,no,3,80
gpt2,h100,8,1024,bf16,8,ia3,,no,1,80
T
epochcast evaluate runs.csv
epochcast analyse runs.csv
# what a larger batch gives is said of one job, and the length is known
cat > rates.csv <<'T'
model,gpu,batch_size,seq_len,dtype,world_size,zero_stage,finetuning_type,lora_rank,tokens_per_s
llama3_8b,a100-sxm4-80gb,1,2048,bf16,8,3,full,,24000
llama3_8b,a100-sxm4-80gb,2,2048,bf16,8,3,lora,16,30000
llama3_8b,a100-sxm4-80gb,1,2048,bf16,8,0,none,,24000
T
epochcast analyse rates.csv
# pictures keep jobs apart: bars of each, and no line from one to another
epochcast report rates.csv --out page
head -n 1 page/report.md
grep -o '>[^<]*</text>' page/pictures/model-comparison.svg | grep -E 'zero|plain'
grep -o '>[^<]*</text>' page/pictures/memory-breakdown.svg | grep -E 'zero|plain'
ls page/pictures | grep batch-throughput || echo "no line over the batch"
epochcast calibrate --device h100 --table runs.csv
epochcast data import runs.csv --store s.db && epochcast data show 2 --store s.db | grep job
