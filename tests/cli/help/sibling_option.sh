epochcast data --store x import --limit 3
