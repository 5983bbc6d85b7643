# A table whose batch is that of all devices: 1024 sequences in 21.36 s are 47.9 a second, of 512 devices too. All
# commands read it, without the name of its mapping, and predict the rows that they can.
cat > trn1.csv <<'EOF'
model,device,instance,num_devices,num_neuron_cores,precision,tp,pp,zero1,global_batch,optimizer,seq_len,sequences_per_s,step_time_s,mfu_pct,neuron_version
Llama-3.1-8B pre-training,trainium1,trn1.32xlarge,512,1024,BF16,32,1,1,1024,AdamW,8192,47.95,21.3556,,2.24.0
HuggingFace ViT-Base fine-tuning,trainium1,trn1.32xlarge,16,32,BF16,1,1,0,2048,AdamW,,6587.25,0.3109,,2.10.0
EOF
epochcast analyse trn1.csv --csv | sed "s/, / /g" | cut -d, -f3,4,12
epochcast report trn1.csv --out page
epochcast evaluate trn1.csv --csv | cut -d, -f2-6
epochcast data import trn1.csv --store s
# The share of the peak is that of one device.
cat > gpus.csv <<'EOF'
source_repo,model,num_gpus,d_model,n_layers,n_heads,mp_mode,fsdp_sharding,global_batch_size,seq_len,precision,step_time_s,device
mosaicml/llm-foundry,mpt-7b,8,4096,32,32,amp,FULL_SHARD,512,2048,amp,60,a100-sxm4-80gb
EOF
epochcast analyse gpus.csv --json | grep -E '"(samples_per_s|efficiency_frac|peak_flop_frac|predicted_ns|achieved_flop_per_s)"'
