printf "relu x=4\nconv2d n=1\n" >cases.txt
epochcast measure layers --out x.csv --cases cases.txt
