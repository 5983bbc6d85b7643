epochcast predict --op 'conv3 n=1' -d t4
