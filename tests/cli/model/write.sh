# The network written as JSON is the same network.
for model in resnet18 vit_b_16 gpt2 lstm_lm; do
    epochcast model $model --batch 3 --write net.json
    epochcast model $model --batch 3 --json | grep -v '"source"' >a
    epochcast model net.json --json | grep -v '"source"' >b
    cmp a b && echo same
done
