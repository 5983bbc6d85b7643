epochcast demo x --budget 0
