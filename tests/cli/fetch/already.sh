mkdir -p sets/mnist
epochcast fetch mnist --dir sets
epochcast fetch mnist --dir sets --json
