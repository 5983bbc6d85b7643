# Forward runs again: less memory, a longer step; a sweep has both.
epochcast predict bert_base -d a100-sxm4-80gb -b 16 --recompute none,full | sed -E -f "$SRC/tests/cli/predict/hide.sed"
epochcast predict bert_base -d a100-sxm4-80gb -b 16 --recompute full | sed -E -f "$SRC/tests/cli/predict/hide.sed"
echo '{"model": "bert_base", "device": "t4", "batch": 8, "recompute": "full"}' | epochcast predict --requests - | python3 -c '
import json, sys
a = json.load(sys.stdin)
print(a["recompute"], a["warnings"])'
epochcast predict bert_base -d t4 --mode forward --recompute full
epochcast predict bert_base -d t4 --recompute some
epochcast predict llama3_8b -d h100-sxm5-80gb --devices 8 --strategy fsdp --micro-batch 1 --seq-len 8192 --master-weights \
    --recompute none,selective,full --csv 2>/dev/null | cut -d, -f1,10
epochcast predict bert_base -d t4 --recompute full --method justus-sum
epochcast predict --op 'relu x=64x64' -d t4 --recompute full
