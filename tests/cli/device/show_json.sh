epochcast device show a100-sxm4-40gb --json
