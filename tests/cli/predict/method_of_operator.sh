epochcast predict --op 'relu x=32x64' --device t4 --method justus-sum
