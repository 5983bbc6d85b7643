epochcast device list v100-sxm2-16gb --json
