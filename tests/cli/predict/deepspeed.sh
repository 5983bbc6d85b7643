# Settings of DeepSpeed are a job file, its batch of all divided by its accumulation; as a network they and other settings are refused with advice.
cat > ds.json <<'EOF'
{"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "bf16": {"enabled": true}, "gradient_clipping": 1.0,
 "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}
EOF
cat > whole.json <<'EOF'
{"train_batch_size": 32, "gradient_accumulation_steps": 2, "train_micro_batch_size_per_gpu": "auto", "fp16": {"enabled": true},
 "optimizer": {"type": "OneBitAdam", "params": {"lr": 0.0001}}, "zero_optimization": {"stage": 1}}
EOF
for file in ds.json whole.json; do
    epochcast predict gpt2_small -d h100-sxm5-80gb --devices 4 --job $file | sed -n '/job file/,/4 x/p'
done
epochcast predict gpt2_small -d h100-sxm5-80gb --devices 4 --job whole.json --micro-batch 4 | grep 'batch '
epochcast predict ds.json -d t4 || echo $?
echo 'output_dir: out' > train.yml
cp train.yml train.py
epochcast predict train.yml -d t4 || echo $?
epochcast predict train.py -d t4 || echo $?
