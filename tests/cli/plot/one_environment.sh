printf 'env,model,batch_size,speedup\nhere,a,1,1\nhere,b,1,1\nthere,b,1,2\n' >two.csv
printf "env,model,batch_size,speedup\nhere,a,1,\nthere,b,1,\n" >apart.csv
grep -v there two.csv >one.csv
epochcast plot speedup one.csv --out one.svg
epochcast plot speedup two.csv --where 'env=here' --out one.svg
epochcast plot speedup apart.csv --out one.svg
epochcast plot speedup two.csv --out two.svg
ls
