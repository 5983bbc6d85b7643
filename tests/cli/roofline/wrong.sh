epochcast roofline || true
epochcast roofline resnet18 || true
epochcast roofline resnet18 --device t4 --top 3 || true
epochcast roofline resnet18 --device t44
