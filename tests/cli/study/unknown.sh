epochcast study things
