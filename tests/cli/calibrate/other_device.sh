epochcast calibrate --device t4 --row 'resnet50 batch=8 time_ms=60' --out p.json > /dev/null
epochcast predict resnet50 --device a100-sxm4-40gb --profile p.json
