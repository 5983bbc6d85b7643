# "yes" stands where the largest batch is: both go by the upper end of the interval.
epochcast predict gpt2 -d rtx3090 -b max | grep -e '^gpt2' -e ' fits  '
epochcast predict gpt2 -d rtx3090 -b 15,16 --json | grep fits_prob
epochcast predict gpt2 -d rtx3090 -b 16 | grep -e ' fits  ' -e 'may not fit' -e 'what would fit' -e '--recompute'
epochcast predict gpt2 -d rtx3090 -b 16 --memory | tail -n 1
