epochcast dataset --markdown | sed -n '1,3p'
epochcast dataset --csv | sed -n '1,2p'
epochcast dataset 'csv?' --csv | sed -n '1,2p'
epochcast dataset 'csv?' --json | sed -n '1,6p'
epochcast dataset synthetic --csv
