# One exchange among devices, alone.
epochcast predict --collective all_reduce --bytes 100MB --device h200-sxm-141gb --devices 64 \
    | sed -E -f "$SRC/tests/cli/predict/hide.sed"
for what in all_reduce all_gather reduce_scatter all_to_all broadcast send_recv; do
    for bytes in 1kB 1GiB; do
        epochcast predict --collective $what --bytes $bytes --device a100 --devices 16 --json
    done
done | python3 -c '
import json, sys
text, found, at = sys.stdin.read(), [], 0
while at < len(text.rstrip()):
    one, at = json.JSONDecoder().raw_decode(text, at)
    at += 1
    found.append(one)
for small, large in zip(found[::2], found[1::2]):
    print(small["collective"], small["machines"], small["bytes"], large["bytes"],
          0 < small["latency_ns"] <= small["time_ns"] < large["time_ns"],
          all(0 < x["time_p05_ns"] < x["time_ns"] < x["time_p95_ns"] for x in (small, large)), small["exchange_measured"])'
epochcast predict --collective all_reduce --bytes 1XB --device a100 --devices 8
epochcast predict --collective all_reduce --bytes 1MB --device a100
