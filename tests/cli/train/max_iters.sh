# mask: [0-9.]* images/s, [0-9.]* [mu]*s per step
# mask: take [0-9.]* [mu]*s
# mask: memory .*
epochcast train mnist_cnn --data synthetic:train=64,test=8 --batch 8 --backend ref --max-iters 3 --plot none.svg
epochcast train mnist_cnn --data synthetic:train=64,test=8 --batch 8 --backend ref --max-iters 3 --json 2> /dev/null | grep -E 'steps|scaled|stopped'
