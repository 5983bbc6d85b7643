# Names of networks as a table: the header is a column like any other.
epochcast model --list --csv | sed -n 1,3p
epochcast model --list --markdown | sed -n 1,4p
epochcast model --list --csv --markdown
