epochcast dataset 'csv?'
