epochcast roofline lenet5 --device 't4,v100-sxm2-*' --device t4 --batch 32 --csv | cut -d , -f 1-4
