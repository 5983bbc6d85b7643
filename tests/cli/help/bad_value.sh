epochcast device list --json=maybe
