epochcast measure layers --count 2
