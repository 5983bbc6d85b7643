epochcast device list >/dev/full
