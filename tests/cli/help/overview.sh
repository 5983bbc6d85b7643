epochcast help
