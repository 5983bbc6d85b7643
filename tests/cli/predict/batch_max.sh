# The largest batch fits with a margin, the next one does not.
largest=$(epochcast predict resnet50 -d t4 -b max --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["batch"])')
for batch in $largest $((largest + 1)); do
    epochcast predict resnet50 -d t4 -b $batch --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["fits_probability"] >= 0.95)'
done
epochcast predict resnet50 -d t4 -b max | head -n 1 | sed -E 's/batch [0-9]+/batch #/'
epochcast predict llama3_8b -d t4 -b max
