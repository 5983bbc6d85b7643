# A run as expected, slower, faster: what is said and the exit status. Times move with the constants.
job="resnet50 --device rtx3090 --batch 64 --precision amp"
epochcast predict $job --json >p.json
at() { python3 -c 'import json, sys; print(json.load(open("p.json"))["step_time_ns"]["p50"] * float(sys.argv[1]), end="ns")' "$1"; }
hide='s/[0-9.]+ (ms|us|s)( |$|\))/# \1\2/g; s/[0-9.]+( samples| %, expected| %$| %;)/#\1/g; s/[0-9.]+ times/# times/'
hide="$hide; s/[0-9.]+ % of the expected/# % of the expected/; s/percentile [0-9]+/percentile #/"
for factor in 1 20 0.05; do
    epochcast check $job --measured "$(at $factor)" | sed -E "$hide"
    epochcast check $job --measured "$(at $factor)" >/dev/null
    echo "exit $?"
done
for factor in 1 20 0.05; do
    epochcast check $job --measured "$(at $factor)" --json
    epochcast check $job --measured "$(at $factor)" --tolerance 1000% >/dev/null
    echo "exit $?" >&2
done | python3 -c '
import json, sys
text, at = sys.stdin.read(), 0
while at < len(text.rstrip()):
    one, at = json.JSONDecoder().raw_decode(text, at)
    at += 1
    r = one["prediction"]
    assert all(abs(one["expected_ns"][k] / v - 1) < 1e-6 for k, v in r["step_time_ns"].items())
    assert one["mfu_frac"] <= one["hfu_frac"] * 1.0001
    assert abs(one["mfu_frac"] * one["measured_ns"] / one["expected_mfu_frac"] / one["expected_ns"]["p50"] - 1) < 1e-6
    print(one["schema"], one["verdict"], round(one["percentile"]), [c["cause"] for c in one["causes"]],
          all(c["evidence"] for c in one["causes"]))'
