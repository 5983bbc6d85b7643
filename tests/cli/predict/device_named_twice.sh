epochcast predict lenet5 --device t4 --device 'T4' --device 't4*' --csv 2>/dev/null | cut -d , -f 2
