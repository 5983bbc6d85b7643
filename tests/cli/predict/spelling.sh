epochcast predict resnet18 --device a100-sxm4-80gb --precision F32 --layout Channels_Last --mode FORWARD --framework pytorch_2 | head -n 1
