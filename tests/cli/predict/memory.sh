# What is held by kind adds up to the peak; the largest batch is that of --batch max, where several devices share no network.
epochcast predict resnet50 -d t4,v100-sxm2-16gb -b 64,512 -p amp --optimizer adam --memory | sed -E 's/[0-9]+(\.[0-9]+)?/#/g; s/ +/ /g; s/─+/-/'
epochcast predict resnet50 -d t4 -b 64 --memory --csv | python3 -c '
import csv, sys
row, = csv.DictReader(sys.stdin)
held = sum(float(row[k + "_bytes"] or 0) for k in ("weights", "gradients", "optimizer", "activations", "overhead"))
print(abs(held / float(row["memory_peak_bytes"]) - 1) < 1e-6, row["fits"], float(row["fits_probability"]) > 0.99)'
for options in "" "--memory"; do
    epochcast predict resnet50 -d t4 -b 64 $options --json | python3 -c 'import json, sys; print(json.load(sys.stdin).get("largest_batch"))'
done | sed "s/^$(epochcast predict resnet50 -d t4 -b max --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["batch"])')$/that of max/"
epochcast predict gpt2 -d h100 --devices 4 --zero 2 -b 8 --memory --csv | python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["largest_batch"] == "")'
epochcast predict --op 'relu n=1' -d t4 --memory
