# A file without its option: the sentence names those that read one.
epochcast evaluate mine.csv
