# tolerance: 0.15
# The measured and the predicted step as tracks in one file.
make() { # FILE RANK DURATION-OF-COLLECTIVE KERNEL STEP
    awk -v rank="$2" -v coll="$3" -v kernel="$4" -v step="${5:-1000}" -f "$SRC/tests/cli/trace/trace.awk" >"$1"
}
make r0.json 0 300 100
make r1.json 1 200 200
epochcast trace r0.json --perfetto step.json.gz >/dev/null && gzip -dc step.json.gz
epochcast trace r0.json --perfetto step.json --csv >step.csv && head -2 step.json
epochcast trace r0.json --out budget.svg >/dev/null && grep -o '>[a-z: ]*</text>' budget.svg
epochcast trace r0.json --out budget.txt >/dev/null
epochcast trace r0.json r1.json --out budget.svg
epochcast trace r0.json r1.json --perfetto step.json
epochcast trace r0.json --perfetto nowhere/step.json.gz
