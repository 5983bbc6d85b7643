# Words that other tools have: precisions that are --products here, and optimizers of Hugging Face, which job files have too.
run="epochcast predict gpt2_small -d h100-sxm5-80gb -b 4"
for precision in fp8 mxfp8 nvfp4 fp8,bf16; do
    $run -p $precision || echo $?
done
echo '{"model": "gpt2_small", "device": "h100-sxm5-80gb", "precision": "fp8"}' | epochcast predict --requests -
for optimizer in paged_adamw_8bit adamw_torch_fused AdamW8bit lion_32bit lion_8bit; do
    $run -p bf16 --optimizer $optimizer | head -n 1
done
