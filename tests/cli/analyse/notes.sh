# tolerance: 0.02
epochcast analyse "$SRC/tests/recorded/results/iterations.csv" --network resnet18 --reference laptop --no-predict --markdown
