# The network written as ONNX counts the same.
for model in resnet18 mobilenet_v2 cifar_cnn:depth=2; do
    epochcast model $model --write net.onnx
    epochcast model $model --totals --json | grep -E '"(params|mac)"' >a
    epochcast model net.onnx --totals --json | grep -E '"(params|mac)"' >b
    cmp a b && echo same
done
