epochcast predict lenet5 -d t4 --mode isolated_step
