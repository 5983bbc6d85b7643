epochcast op sample --op conv2d,conv2d,linear,lstm --count 8 --seed 2 --max-bytes 1e9
epochcast op sample --op layer_norm,add --count 2 --zoo-percent 0 --json
epochcast op sample --op linaer --count 1
