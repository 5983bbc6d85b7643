epochcast predict resnet18 --device a100-sxm4-80gb --precision F32 --layout Channels_Last --mode FORWARD --framework pytorch_2 | head -n 1
for option in --lora --batch-size --gpu --gpus --bf16; do
    epochcast predict resnet18 -d t4 $option 2>&1 || true
done
