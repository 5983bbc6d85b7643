epochcast demo gone/there --budget 5
