epochcast measure ddp mnist_cnn --out rows.csv --batch 4 --backend ref --threads 1 --max-iters 2 --warmup-iters 0 --device made-up >out.txt
tail -1 out.txt; cut -d, -f1-6,11-12 rows-scaling.csv
