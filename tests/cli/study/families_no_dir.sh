epochcast study families
