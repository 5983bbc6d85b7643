epochcast measure grid --depth 1 --base-filters 1,2 --batch 2,4 --backend ref --threads 1 --max-iters 2 --warmup-iters 0 --device made-up --samples 16 --workers 0 2>/dev/null
cut -d, -f1-7,11-13,16-18 configs_cifar_cnn_made-up.csv
epochcast data import --store s.sqlite configs_cifar_cnn_made-up.csv
epochcast measure grid --depth 1 --base-filters 1,2 --batch 2,4 --backend ref --threads 1 --max-iters 2 --warmup-iters 0 --device made-up --samples 16 --workers 0 --resume 2>/dev/null
