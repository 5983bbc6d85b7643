# A stack that fuses brings its framework, unless another is named.
job="llama3_8b -d h100-sxm5-80gb --devices 8 --tp 8 --micro-batch 1 --batch 8 --seq-len 4096 --stack"
for stack in megatron maxtext fsdp 'megatron --framework pytorch-2'; do
    epochcast predict $job $stack | sed -n '1p; /as usual/p'
done
# Experts of Python's own are said, those of software that divides them are not.
epochcast predict olmoe_1b_7b -d h100-sxm5-80gb --batch 1 2>&1 | grep "experts are counted"
epochcast predict olmoe_1b_7b -d h100-sxm5-80gb --devices 8 --zero 3 --ep 8 --micro-batch 1 2>&1 | grep -c "experts are counted"
true
