# The front of time and money within a deadline and a budget, and what does not fit or is too slow.
# tolerance: 0.02
epochcast plan gpt2 --tokens 300M --device a100-sxm4-40gb,t4 --devices 1..8 --global-batch 64 \
    --deadline 12h --budget 40usd --prices a100-sxm4-40gb=1.3,t4=0.35
echo
COLUMNS=80 epochcast plan gpt2 --tokens 300M --device a100-sxm4-40gb --devices 1..8 --global-batch 64
