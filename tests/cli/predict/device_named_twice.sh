epochcast predict lenet5 --device t4 --device 'T4' --device 't4*' --csv | cut -d , -f 1
