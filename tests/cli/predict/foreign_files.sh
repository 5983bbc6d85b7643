# A file of weights is not a network: what to do about it.
printf 'PK\003\004' > model.pt
cp model.pt model.safetensors
epochcast predict model.pt -d t4
epochcast model model.safetensors
epochcast predict not-there.pth -d t4
cp model.pt model.keras
cp model.pt model.tflite
epochcast predict model.keras -d t4
epochcast predict model.tflite -d t4
cp model.pt model.pt2
epochcast predict model.pt2 -d t4
epochcast predict model.safetensors -d t4
echo '{"model_type": "mamba"}' > config.json
epochcast predict model.safetensors -d t4
