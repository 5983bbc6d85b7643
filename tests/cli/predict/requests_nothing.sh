epochcast predict --requests - < /dev/null
