# Files of training tools: what is read, assumed and unknown.
jobs=$SRC/tests/cli/predict/jobs
ask() { epochcast predict "$@" -d h100-sxm-80gb; }
for job in qlora.yml sft.yaml llama3_8b.toml pretrain.txt; do
    ask --job "$jobs/$job" | sed '/^$/q'
done
ask llama2_7b --job "$jobs/training_args.json" | sed '/^$/q'
# options stand above the file
ask llama3_8b --job "$jobs/qlora.yml" --devices 8 --micro-batch 4 --samples 1e5 --precision fp16 | grep -E 'not used|further|^llama'
ask --job "$jobs/pretrain.txt" --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
f = r["job_file"]
print(f["format"], f["unknown"], f["without_effect"], len(f["read"]), r["devices"], r["batch"], r["steps"])'
ask --job "$jobs/llama3_8b.toml" --csv 2>said | wc -l
head -1 said
# the network stands beside the file
printf '{"model_type": "gpt2", "n_layer": 2, "n_embd": 64, "n_head": 2, "vocab_size": 1000}' >config.json
printf '{"per_device_train_batch_size": 2, "output_dir": "x"}' >t.json
ask --job t.json | sed '/^$/q'
# wrong ones
printf 'a: [1\nb: 2\n' >t.yaml
printf '[training]\nsteps = {}\n' >t.toml
for job in t.yaml t.toml config.json nothing.json; do ask --job $job; done
rm config.json
ask --job t.json
ask --job t.json --op 'relu n=1'
ask --job "$jobs/training_args.json" llama2_7b --tp 3
