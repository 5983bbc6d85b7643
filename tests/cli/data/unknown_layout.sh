printf 'colour,taste\nred,sweet\n' > mine.csv
epochcast data import mine.csv --store s
