epochcast plot --list
