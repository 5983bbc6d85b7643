# Jobs whose devices share more than the batch: an answer, its JSON, and what is refused.
say="sed -E -f $SRC/tests/cli/predict/hide.sed"
epochcast predict llama3_8b:layers=8 -d a100-sxm4-80gb --devices 16 --precision bf16 --master-weights \
    --optimizer adamw --seq-len 2048 --tp 2 --pp 4 --zero 1 --global-batch 64 | $say | sed 's/ # / /g'
epochcast predict gpt2 -d a100 --devices 8 --strategy fsdp --micro-batch 4 --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
s = a["shared"]
print(a["batch"], a["zero_stage"], a["micro_batch"], a["micro_batches"], s["data_parallel"], sorted(s))
l = s["memory_ledger"]
print(sum(l.values()) <= a["allocator_peak_bytes"]["p50"] * 1.001, l["weights_bytes"] * 8 == 124439808 * 2)
print(0 < s["mfu_frac"] < s["mfu_all_pairs_frac"] < 1)'
for wrong in "resnet50 --tp 2" "gpt2 --tp 8" "gpt2 --pp 3 --tp 2" "gpt2 --pp 16 --devices 16" \
    "gpt2 --zero 2 --micro-batch 3 --global-batch 100" "resnet50 --cp 2" "gpt2 --zero 4" "gpt2 -b 12 --accumulation 5"; do
    epochcast predict $wrong -d a100 $(case "$wrong" in *devices*) ;; *) echo --devices 8 ;; esac) || echo $?
done
