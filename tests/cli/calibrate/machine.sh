# The profile says in words which machine was measured.
epochcast calibrate --device t4 --row 'resnet50 batch=64 precision=amp samples_per_s=240' \
    --source "the vendor" --machine "rack 7, two sockets" --json > t4.json
python3 -c '
import json
p = json.load(open("t4.json"))["provenance"]
print(p["source"], "|", p["machine"], "|", sorted(p))'
epochcast predict resnet50 --device t4 --batch 64 --precision amp --profile t4.json | grep 'rests on'
sed 's/"machine"/"host"/' t4.json > earlier.json
epochcast predict resnet50 --device t4 --batch 64 --precision amp --profile earlier.json | grep 'rests on'
