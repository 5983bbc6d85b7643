epochcast data list --store none.sqlite
