# A job without a size, without devices; limits that are not limits; a configuration of other words.
epochcast plan gpt2 --device t4
epochcast plan gpt2 --samples 1000
epochcast plan --device t4 --samples 1000
epochcast plan gpt2 --device t4 --samples 1000 --budget 5
epochcast plan gpt2 --device t4 --samples 1000 --budget five --usd-per-hour 1
epochcast plan gpt2 --device t4 --samples 1000 --deadline soon
epochcast plan gpt2 --device t4 --samples 1000 --devices 8..1
epochcast plan gpt2 --device t4 --samples 1000 --devices 1..
epochcast plan gpt2 --device t4 --samples 1000 --devices 1 --why-not 't4 colour=red'
epochcast plan gpt2 --device t4 --samples 1000 --json --csv
