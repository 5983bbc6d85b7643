epochcast measure networks resnet18 resnet51 --batch 1 --out networks.csv || true
epochcast measure networks missing.onnx --out networks.csv || true
