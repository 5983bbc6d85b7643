# A table that is not there.
epochcast evaluate mine.csv
