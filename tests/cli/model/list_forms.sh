# Names of networks as a table: the header is a column like any other.
epochcast model --list --csv | sed 3q
epochcast model --list --markdown | sed 4q
epochcast model --list --csv --markdown
