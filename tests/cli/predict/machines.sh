# Several machines: the answer says how many, and what network.
epochcast predict bert_large -d h100-sxm5-80gb --batch 8 --precision amp --devices 4096 \
    | sed -E -f "$SRC/tests/cli/predict/hide.sed"
epochcast predict resnet50 -d a100 --batch 64 --precision amp --devices 20 --network-rate 100Gb/s --explain \
    | grep -E '^in |machines' | sed -E 's/[0-9.]+ (us|ms|GB)/# \1/g'
epochcast predict resnet50 -d rtx3090 --batch 64 --precision amp --devices 8 --devices-per-machine 4 --json |
    python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(answer["machines"], answer["devices_per_machine"], answer["network_bytes_per_s"])
reduced = answer["all_reduce"]
print(reduced["count"], reduced["algorithm"], reduced["bytes"] * reduced["count"] == 102228128,
      0 < reduced["latency_ns"] < reduced["time_ns"], reduced["bus_bytes_per_s"] > 1e9)'
