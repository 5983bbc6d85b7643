epochcast fit phisics here
