epochcast model lenet5 --json
