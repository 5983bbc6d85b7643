epochcast help device probe
epochcast device list --help | head -n 1
epochcast device prob --json
epochcast help device prob
