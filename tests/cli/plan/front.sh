# The front of time and money within a deadline and a budget; device-hours where there are no prices.
# tolerance: 0.02
epochcast plan gpt2 --tokens 300M --device a100-sxm4-40gb,t4 --devices 1..8 --global-batch 64 --zero 0 --tp 1 --pp 1 \
    --recompute none --micro-batch 8 --deadline 12h --budget 40usd --prices a100-sxm4-40gb=1.3,t4=0.15
echo
COLUMNS=80 epochcast plan gpt2 --tokens 300M --device a100-sxm4-40gb --devices 1..8 --global-batch 64 --zero 0 \
    --tp 1 --pp 1 --recompute none --micro-batch 8
