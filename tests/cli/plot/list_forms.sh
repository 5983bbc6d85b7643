epochcast plot --list --csv | sed -n '1,2p'
epochcast plot --list --markdown | sed -n '1,3p'
epochcast plot bars table.csv --json
