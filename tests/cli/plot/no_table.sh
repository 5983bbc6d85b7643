epochcast plot line
