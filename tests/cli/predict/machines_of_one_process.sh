epochcast predict lenet5 -d a100 --batch 8 --devices 16 --devices-per-machine 8 --strategy dp
