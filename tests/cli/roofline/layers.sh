# tolerance: 0.3
epochcast roofline lenet5 --device t4 --batch 64 --layers --csv
