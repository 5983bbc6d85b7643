printf 'a,b\n1,2\n' > mine.csv
printf 'what = relu x={a}\ntime_ms = {ms}\n' > mine.map
epochcast data import mine.csv --mapping mine.map --store s
