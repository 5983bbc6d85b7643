# Each stage with its factors and its reason, for each device; JSON has the same.
epochcast predict resnet18 --device v100-sxm2-16gb --batch 32 --explain
epochcast predict mnist_cnn --device t4,rtx3090 --batch 64 --devices 2 --explain
epochcast predict --op 'softmax x=4096x4096' --device t4 --phase forward --explain
epochcast predict --op 'relu x=64x64' --device t4 --phase forward --explain --json
