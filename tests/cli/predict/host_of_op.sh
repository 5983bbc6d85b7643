epochcast predict --op 'matmul m=64 k=64 n=64' --device t4 --host reference
