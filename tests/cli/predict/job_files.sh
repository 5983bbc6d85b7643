# Keys that stand for each other, and those whose absence says something, in files of each tool.
ask() { epochcast predict --job "$1" -d h100-sxm-80gb | sed '/^$/q'; }
# accelerate starts the processes and names the settings of DeepSpeed; beta is of preferences
cat >dpo.sh <<'END'
accelerate launch --num_processes 8 --config_file configs/deepspeed_zero3.yaml dpo.py \
    --model_name_or_path Qwen/Qwen2-0.5B-Instruct --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 8 --max_steps 1000 --max_length 1024 --beta 0.1 --bf16 \
    --use_peft --lora_r 32 --no_remove_unused_columns --output_dir out
END
ask dpo.sh
# a default in quotes, 8 bits
cat >moe.sh <<'END'
NNODES=${SLURM_NNODES:-"4"}
ARGS=(--nproc_per_node 8 --nnodes $NNODES --num-layers 32 --hidden-size 4096 --num-attention-heads 32
    --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 256 --train-iters 500 --bf16
    --num-experts 8 --moe-router-topk 2 --expert-model-parallel-size 8 --fp8-format hybrid
    --fp8-amax-history-len 1024 --pipeline-model-parallel-size 4
    --num-layers-per-virtual-pipeline-stage 8)
torchrun ${ARGS[@]} pretrain_gpt.py
END
ask moe.sh
# max_steps stands above epochs; what FSDP recomputes; a key without a value
cat >fsdp.yml <<'END'
base_model: mistralai/Mistral-7B-v0.1
sequence_len: 8192
micro_batch_size: 1
num_epochs: 1
max_steps: 500
s2_attention:
fsdp: [full_shard, auto_wrap]
fsdp_config:
  fsdp_activation_checkpointing: true
END
ask fsdp.yml
# LLaMA-Factory recomputes unless it is told not to
for line in 'cutoff_len: 2048' 'disable_gradient_checkpointing: true'; do
    printf 'model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nfinetuning_type: lora\nbf16: true\n%s\n' "$line" >sft.yaml
    ask sft.yaml | grep -o -- '--recompute [a-z]*'
done
# networks
printf '{"output_dir": "x", "model_name_or_path": "google/vit-base-patch16-224-in21k"}' >vit.json
ask vit.json | grep -c 'in21k: vit_b_16'
printf '[model]\nname = "deepseek_v3"\nflavor = "16B"\nconverters = ["float8"]\n' >t.toml
ask t.toml
