epochcast model
