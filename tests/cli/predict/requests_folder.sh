mkdir folder
epochcast predict --requests folder
