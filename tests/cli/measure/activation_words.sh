epochcast measure layers --op linear --activation softmax --out x.csv
epochcast measure layers --op linear --activation relu,rleu --out x.csv
epochcast measure layers --op linear --activation relu --methods separated --out x.csv
