# What speaks against a configuration: memory, the limits, a line of the table, or the devices.
# tolerance: 0.02
why() {
    epochcast plan gpt2_xl --tokens 100M --device a100-sxm4-40gb --devices 1..8 --global-batch 32 \
        --deadline 8h --usd-per-hour 1.3 --why-not "$1" --markdown | grep '^why not'
}
why 't4 x1'
why 'a100-sxm4-40gb x8 pp=8'
why 'a100-sxm4-40gb x1 batch=1'
why 'a100-sxm4-40gb x3 tp=2'
why 'a100-sxm4-40gb x8'
