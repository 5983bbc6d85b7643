# tolerance: 0.15
# Two ranks: the second comes last to the collectives. Two traces compared. A step beside the prediction of its network.
make() { # FILE RANK DURATION-OF-COLLECTIVE KERNEL STEP
    awk -v rank="$2" -v coll="$3" -v kernel="$4" -v step="${5:-1000}" -f "$SRC/tests/cli/trace/trace.awk" >"$1"
}
mkdir ranks
make ranks/r0.json 0 300 100
make ranks/r1.json 1 200 200
COLUMNS=80 epochcast trace ranks | tail -8
cp -r ranks three
make three/r2.json 2 300 100
epochcast trace three | head -10
epochcast trace --compare ranks/r0.json ranks/r0.json >/dev/null && echo "alike"
make slow.json 0 900 100 1200
COLUMNS=80 epochcast trace --compare ranks/r0.json slow.json
echo "status $?"
COLUMNS=80 epochcast trace ranks/r0.json --model mlp --batch 64 | head -12
epochcast trace ranks/r0.json --model mlp --batch 32 --precision bf16 --framework pytorch-compiled --layers | head -6
epochcast trace ranks/r0.json --model mlp --batch 64 --layers --csv
epochcast trace ranks/r0.json --model mlp --batch 64 --json | grep -A 8 '"notes"'
echo '{"schema": "epochcast.graph/1", "name": "relu", "inputs": [{"name": "x", "shape": ["N", 8]}],
    "nodes": [{"name": "a", "op": "relu", "in": ["x"]}], "outputs": ["a"]}' >relu.json
epochcast trace ranks/r0.json --model relu.json --batch 8 | grep 'no layer'
epochcast trace --compare ranks/r0.json
