epochcast predict --op 'relu x=4' -d t4 --batch 3
