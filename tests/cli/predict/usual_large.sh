# Large networks that take no tokens: amp and AdamW unless something else is asked for; adapters beside frozen weights too.
for options in '' '--precision fp32' '--optimizer sgd --precision fp32' '--tuning lora'; do
    epochcast predict sd15_unet -d a100-sxm4-80gb -b 2 $options | grep -e 'px' -e usual
done
epochcast predict dit_b_2 -d a100-sxm4-80gb -b 2 | grep -e 'px' -e usual
epochcast predict sd15_unet -d gtx1080ti -b 1 | grep -e 'px' -e usual
epochcast plan sd15_unet --samples 1k -d a100-sxm4-80gb --devices 1 --micro-batch 2 | grep adamw
epochcast plan sd15_unet --samples 1k -d a100-sxm4-80gb --devices 1 --micro-batch 2 --tuning lora | grep -o 'precision=.*adamw'
