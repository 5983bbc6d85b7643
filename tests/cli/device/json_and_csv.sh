epochcast device list --json --csv
