epochcast device list --jsno
