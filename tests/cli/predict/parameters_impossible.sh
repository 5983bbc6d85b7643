epochcast predict gpt2:layers=1000000 -d t4
