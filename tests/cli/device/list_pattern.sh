epochcast device list 'a100*' v100-sxm2-16gb
