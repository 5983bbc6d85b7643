epochcast predict lenet5 --device 't4, a100-sxm4-40gb,T4' --device 'v100-sxm2-*,t4' --csv 2>/dev/null | cut -d , -f 2
epochcast predict lenet5 --device t4,t5
