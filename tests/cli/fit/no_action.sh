epochcast fit
