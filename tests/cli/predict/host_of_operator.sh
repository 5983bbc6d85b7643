epochcast predict --op 'linear m=8 k=8 n=8' -d t4 --host reference
