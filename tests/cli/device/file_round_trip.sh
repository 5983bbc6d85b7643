# tolerance: 0.02
# a key, written and read again, has the same answer; it says that it was read
epochcast device show rtx3090 --json > x.json
epochcast predict resnet50 --device rtx3090 --batch 64 --json > key.json
epochcast predict resnet50 --device x.json --batch 64 --json > file.json
diff key.json file.json | grep '^[<>]'
epochcast device show x.json --json | diff x.json - | grep '^[<>]'
sed 's/"value": 936000000000/"value": 500000000000/' x.json > slow.json
epochcast predict resnet50 --device slow.json --batch 64 | tail -n 2
