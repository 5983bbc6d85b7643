# Networks of diffusion: adapters of SDXL on a small card, where memory would spill; a network without linear layers.
say="sed -E -f $SRC/tests/cli/predict/hide.sed"
epochcast predict sdxl -d rtx3060 --batch 1 --precision bf16 --optimizer adamw --tuning lora --targets attention --rank 4 | $say
epochcast predict dit_xl_2 -d h100 --devices 8 --strategy fsdp --micro-batch 32 --precision bf16 --optimizer adamw | $say
epochcast predict unet -d rtx4090 --tuning lora || echo $?
epochcast predict resnet50 -d rtx4090 --tuning lora --targets attention || echo $?
epochcast predict sdxl_unet:image=1000 -d rtx4090 || echo $?
