epochcast fit --op linear
