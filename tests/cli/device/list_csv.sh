epochcast device list 'a100*' --csv
