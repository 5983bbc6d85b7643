# Images are no tokens, a network without sequences has no length of them, and sequences no order of channels.
epochcast predict gpt2 --device t4 --dataset imagenet
epochcast predict resnet50 --device t4 --dataset wikitext103 --json 2>&1 >/dev/null
epochcast predict resnet50 --device t4 --seq-len 128 | head -n 1
epochcast predict resnet50 --device t4 --seq-len 128 | grep 'not used'
epochcast predict gpt2 --device t4 --batch 4 | head -n 1
epochcast predict lenet5 --device a100 --loader 0.05 --batch 8 | grep 'times as'
epochcast calibrate --device t4 --row img/s=690 --out p.profile
