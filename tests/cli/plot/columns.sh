cat >runs.csv <<'END'
device,batch_size,images_per_s
a,32,100
a,64,180
a,128,300
b,32,50
b,64,not a number
END
epochcast plot line runs.csv --x batch_size --y images_per_s --group device --log x --title 'By hand' --reference 200 --reference-label wanted --out picture.svg
grep -c '<circle' picture.svg
grep -o 'wanted\|By hand\|throughput (images/s)' picture.svg
epochcast plot line runs.csv --x batch --y images_per_s || true
epochcast plot line runs.csv --x device --y images_per_s || true
epochcast plot line runs.csv --x batch_size --y images_per_s --where device=c* || true
epochcast plot line runs.csv --x batch_size --y images_per_s --out picture.jpg || true
epochcast plot line runs.csv --x batch_size --y images_per_s --log z
