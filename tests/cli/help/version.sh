epochcast --version
