epochcast predict resnet18 --batch 32 --device t4 --device p100-pcie-16gb --evidence 5
