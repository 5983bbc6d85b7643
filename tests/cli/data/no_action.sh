epochcast data
