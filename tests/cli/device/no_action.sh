epochcast device
