# What fits where nothing does as asked: fewer samples at once with what else they need, and shorter samples last.
say="sed -E s/[0-9.]+.samples.s/#/;s/[[:space:]]+/,/g"
epochcast predict llama3_8b -d a100-sxm4-40gb --devices 8 --batch 4 | sed -n '2,/^$/p' | $say
epochcast predict llama2_7b -d rtx3060 --tuning lora --seq-len 16384 | sed -n '2,/^$/p' | $say
epochcast predict gpt2_large -d rtx3090 --batch 5 | grep -E '^MAY|^  fits|as asked' | $say | sed -E 's/[0-9.]+,GiB/#/g'
