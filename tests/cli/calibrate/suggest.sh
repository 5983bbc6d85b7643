epochcast calibrate --device rtx4070 --suggest 3 --csv | cut -d , -f 1
