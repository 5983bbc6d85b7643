epochcast study families nowhere
