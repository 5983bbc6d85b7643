epochcast model lenet5 --write no/such/folder/net.json
