# Arguments of training tools are answered with the option that says the same.
for option in --gradient-checkpointing --fp16 --torch-compile --num-gpus --tensor-parallel-size; do
    epochcast predict resnet50 --device t4 $option
done
