epochcast help device
epochcast device --help >same
epochcast help device | cmp - same
