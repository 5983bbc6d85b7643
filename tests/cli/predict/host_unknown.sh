epochcast predict lenet5 -d t4 --host nobody 2>&1 | sed 's/; there are reference, .*/; there are reference, .../'
