printf 'a,b\n1,2\n' > mine.csv
printf 'what = relu x={a}\ntimems = {b}\n' > mine.map
epochcast data import mine.csv --mapping mine.map --store s
