printf '{"layers": {"1": {"name": "conv1"}}}' > net.json
printf '{"like": "t4", "bandwidth": 320e9}' > unit.json
printf '{"like": "t5"}' > like.json
printf '{"like": "t4", ' > half.json
mkdir folder.json
for file in net unit like half folder none; do
    epochcast predict lenet5 --device $file.json
done
epochcast roofline lenet5 --device none.json
epochcast evaluate none.csv --device none.json
