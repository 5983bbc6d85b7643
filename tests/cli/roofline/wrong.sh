epochcast roofline || true
epochcast roofline resnet18 || true
epochcast roofline resnet18 --device t44
