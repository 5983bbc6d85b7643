epochcast model lenet5 --write net.json
mkdir mine && cp net.json mine/lenet5
for model in lenet5 cifar_cnn:depth=2 net.json ./net.json resnet18:x=/etc/passwd - /dev/stdin no_such_network mine/lenet5 someone/lenet5; do
    printf '{"model": "%s", "device": "t4", "batch": 8}\n' "$model"
done > requests.jsonl
printf '{"op": "relu x=64", "device": "t4"}\n' >> requests.jsonl
epochcast predict --requests requests.jsonl --no-files | cut -c 1-170
epochcast predict --requests /dev/stdin < requests.jsonl | sed -n 's/.*\("model":"\.\/net.json"\|"message".*\)/\1/p' | cut -c 1-100
epochcast predict lenet5 --device t4 --no-files
