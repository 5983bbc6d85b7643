# A family of which only the batch varies.
epochcast measure grid --family mnist_cnn --batch 8,32 --max-iters 2 --warmup-iters 0 --samples 200 --epochs 1 --out g.csv 2> said
cut -d , -f 1,2,3 g.csv
epochcast measure grid --family mnist_cnn --out h.csv
