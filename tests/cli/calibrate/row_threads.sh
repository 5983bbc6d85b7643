# Rows of a CPU may say their threads, and are compared with a prediction for so many.
for threads in 1 16; do
    epochcast calibrate --device cpu-xeon-8124m-c5.18xlarge --out p.json \
        --row "resnet18 batch=8 threads=$threads framework=epochcast time_ms=500" --json 2> /dev/null > "$threads.json"
done
python3 -c '
import json
off = [json.load(open(f"{n}.json"))["rows"]["median_ape_before_frac"] for n in (1, 16)]
print(off[0] < 0.5, off[1] > 0.8)'
