epochcast fit . --iterations 0
