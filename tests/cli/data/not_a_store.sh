printf "some text that is no database, long enough to be read as one" > s
epochcast data list --store s
