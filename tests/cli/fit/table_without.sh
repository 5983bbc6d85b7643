epochcast fit table
