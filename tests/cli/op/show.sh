epochcast op conv2d
