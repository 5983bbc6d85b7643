# A mapping that names no device, for a table that has no column of that name.
printf 'network,chip,bs,rate\nResNet-50,T4,32,120\n' > runs.csv
printf 'kind = network\nwhat = {network}\nbatch = {bs}\nsamples_per_s = {rate}\n' > runs.map
epochcast evaluate --networks runs.csv --mapping runs.map || echo "status $?"
epochcast evaluate --networks runs.csv --mapping runs.map --device t4 --csv | cut -d, -f1-3
# Two tables of one mapping are told apart.
cp runs.csv more.csv
epochcast evaluate --networks runs.csv --networks more.csv --mapping runs.map --device t4 --csv | cut -d, -f1-3
