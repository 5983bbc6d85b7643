epochcast data import --store s
