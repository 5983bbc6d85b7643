epochcast measure networks mnist_cnn --out x.csv --max-iters 5 || true
epochcast measure networks mnist_cnn --out x.csv --env here --data synthetic || true
epochcast measure networks mnist_cnn --out x.csv --workers 2 || true
epochcast measure networks mnist_cnn lenet5 --out x.csv --seq-len 9 || true
epochcast measure layers --cases - --count 5 --out x.csv || true
epochcast measure grid --warmup-iters 3 || true
epochcast measure grid --budget 3 || true
epochcast measure ddp mnist_cnn --out x.csv --min-runs 3 || true
epochcast measure ddp mnist_cnn --out x.csv --mpi here.so || true
epochcast measure ceilings --out x.csv --backend ref --threads 2
