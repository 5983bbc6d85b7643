# One step said in every way; what is run beside a network.
epochcast predict gpt2 -d a100-sxm4-80gb -b 4 --devices 2 --json >p.json
python3 - >said.txt <<'END'
import json
p = json.load(open("p.json"))
s = 1e9 / p["step_time_ns"]["p50"]
for text in (f"{1e3 / s}ms", f"{1e3 / s} ms/step", f"{1 / s} s/it", f"{s} it/s", f"{8 * s} samples/s", f"{4 * s} seq/s/gpu",
             f"{8.192 * s}k tokens/s", f"{p['model_flop'] * s / 1e12} TFLOP/s"):
    print(text)
END
while read -r said; do
    epochcast check gpt2 -d a100-sxm4-80gb -b 4 --devices 2 --measured "$said" --json
done <said.txt | python3 -c '
import json, sys
text, at = sys.stdin.read(), 0
while at < len(text.rstrip()):
    one, at = json.JSONDecoder().raw_decode(text, at)
    at += 1
    print(one["verdict"], "%.3f" % (one["measured_ns"] / one["expected_ns"]["p50"]))'
for what in "--op matmul m=4096 k=4096 n=4096;-p amp --mode forward;1 GFLOP/s" "--op roll x=1000000 shifts=1 axes=0;--mode forward;1 TB/s"; do
    IFS=';' read -r op how said <<END
$what
END
    epochcast check --op "${op#--op }" -d a100 $how --measured "$said" | grep verdict | sed -E 's/[0-9.]+ times/# times/'
done
epochcast check --collective all_reduce --bytes 1GiB -d a100 --devices 8 --measured '1 GB/s' | sed -E 's/[0-9.]+ (times|ms|s|%)/# \1/g'
epochcast check resnet50 -d t4 -b 64 --measured '1h12m per epoch'
epochcast check resnet50 -d t4 -b 64 --dataset imagenet --measured '2h 24m per epoch' --json | grep measured_ns
