epochcast devise
