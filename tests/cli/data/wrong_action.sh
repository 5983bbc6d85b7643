epochcast data eat
