# Of a network that says in which type a module's parameters are, that is the precision where none is named, and its ids
# are tokens only where their positions reach an output.
network() {
    echo '{"schema": "epochcast.graph/1", "name": "lm", "precision": "'"$1"'", "inputs": [{"name": "ids", "shape": ["N", 16], "dtype": "i64"}],
        "nodes": [{"name": "e", "op": "embedding", "in": ["ids"], "attrs": {"num": 100, "dim": 64}},'"$2"'
        {"name": "y", "op": "linear", "in": ["'"$3"'"], "attrs": {"n": 100}}], "outputs": ["y"]}'
}
pooled='{"name": "m", "op": "reduce_mean", "in": ["e"], "attrs": {"axes": [1]}},'
network fp32 "" e > fp32.json
network fp16 "" e > fp16.json
network bf16 "$pooled" m > pooled.json
for words in "fp32.json -d h100" "fp16.json -d h100" "fp16.json -d h100 -p amp" "fp32.json -d tpu-v5e" "pooled.json -d h100"; do
    echo "# $words"
    epochcast predict $words --batch 8 | sed -n '1p; /as .* \(are\|tokens\):/p; /predicted in/p'
done
epochcast predict fp16.json -d h100 --batch 8 --json | grep precision
epochcast plan fp16.json -d h100 --samples 1e5 --devices 1 | grep fp16
