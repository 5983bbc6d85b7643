train() {
    epochcast train mnist_cnn --data synthetic:train=64,test=8 --batch 16 --epochs 2 --backend ref --threads 1 \
        --checkpoint ck --resume "$@" 2>&1 >/dev/null | sed 's/%  [0-9][0-9.]* [a-z]*  .*/%/'
}
train --max-iters 2
train --max-iters 4
train --seed 2
printf 'no checkpoint' > ck/last.safetensors
train
