epochcast op conv2
