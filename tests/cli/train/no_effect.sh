train() {
    epochcast train mnist_cnn --data synthetic:train=64,test=0 --max-iters 1 --backend ref "$@" || true
}
train --momentum 0.5
train --optimizer none --lr 1
train --step-factor 0.5
train --huber-delta 2
train --loss mse --label-smoothing 0.1
train --resume
train --workers 0 --prefetch 4
train --seq-len 5
train --threads 2
train --mpi here.so
train --test
train --augment flip
train --normalise unit
