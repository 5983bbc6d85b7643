mkdir folder
epochcast calibrate --device this --measured folder --out p.json
