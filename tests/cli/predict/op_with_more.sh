# What an operator does not have is refused, also where nothing is shared; a pipeline that generates samples says why not.
for more in --devices=2 --tp=2 --network-rate=25GB/s --chunked-loss --mtbf=100h --products=fp8; do
    epochcast predict --op 'relu x=4x8' -d t4 $more || echo $?
done
epochcast predict gpt2_small -d h100-sxm5-80gb --devices 2 --pp 2 --rl grpo || echo $?
