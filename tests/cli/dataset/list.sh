epochcast dataset
