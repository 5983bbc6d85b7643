# tolerance: 0.02
epochcast calibrate --device t4 --row 'resnet50 batch=32 precision=fp32 time_ms=250' --markdown
epochcast calibrate --device t4 --suggest 2 --markdown | sed -n '$p' | cut -d '|' -f 2,3
