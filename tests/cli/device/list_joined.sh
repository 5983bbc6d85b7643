epochcast device list t4,v100-sxm2-16gb 'v100-sxm2-*' --csv | cut -d , -f 1
