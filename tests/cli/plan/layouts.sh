# Images are searched in both orders where a device has matrix units, unless one is asked for; shares may be several.
# tolerance: 0.02
epochcast plan resnet50 --dataset imagenet --epochs 1 --device rtx3090 --devices 1 --micro-batch 64
epochcast plan resnet50 --dataset imagenet --epochs 1 --device p100-pcie-16gb --devices 1 --micro-batch 64 | grep possible
epochcast plan resnet50 --dataset imagenet --epochs 1 --device rtx3090 --devices 1 --micro-batch 64 --layout channels-first | grep possible
epochcast plan qwen3_30b_a3b --tokens 1M --seq-len 1024 --device h100-sxm5-80gb --devices 8 --ep 8 --zero 1 --tp 1 --pp 1 \
    --micro-batch 1 --recompute none --optimizer sgd --overlap-experts 0,0.5 --top 2 --csv | cut -d, -f1-6
# A decimal comma makes two shares of one, and the second is refused.
epochcast plan qwen3_30b_a3b --tokens 1M --device h100 --overlap-experts 0,5
