# tolerance: 0.02
epochcast analyse "$SRC/tests/recorded/runs/iterations.csv" --network resnet18 --reference laptop --no-predict --markdown
