epochcast predict --op 'relu x=64x64' -d t4 --devices 4
