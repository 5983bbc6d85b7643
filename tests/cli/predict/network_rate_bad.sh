epochcast predict lenet5 -d a100 --batch 8 --devices 16 --network-rate 10Gx
epochcast predict lenet5 -d a100 --batch 8 --devices 16 --network-rate 400
epochcast predict lenet5 -d a100 --batch 8 --samples 1000 --checkpoint-rate 2
