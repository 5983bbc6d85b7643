epochcast predict --device t4
