# What speaks against a configuration: memory, the limits, a line of the table, or the devices.
# tolerance: 0.02
why() {
    epochcast plan gpt2_xl --tokens 100M --device a100-sxm4-40gb --devices 1..8 --global-batch 32 --zero 0 --tp 1 --pp 1 \
        --micro-batch 1 --recompute none --deadline 8h --usd-per-hour 1.3 --why-not "$1" --markdown | grep '^why not'
}
why 't4 x1'
why 'a100-sxm4-40gb x8 recompute=full'
why 'a100-sxm4-40gb x3 tp=2'
why 'a100-sxm4-40gb x8'
why 'a100-sxm4-40gb x1 qlora'
epochcast plan gpt2 --tokens 10B --device t4 --devices 1 --zero 0 --tp 1 --pp 1 --micro-batch 1 --recompute none \
    --deadline 1h --why-not 't4 x1' --json | grep -E 'why_not|within_limits"'
