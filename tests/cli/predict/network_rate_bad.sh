epochcast predict lenet5 -d a100 --batch 8 --devices 16 --network-rate 10Gx
