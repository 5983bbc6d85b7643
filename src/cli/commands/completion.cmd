opts completion_opts

fields own
shell str SHELL of:shells : the shell to write for

command completion : write a script that completes command lines in bash, zsh or fish
run run
usage bash|zsh|fish
positional shell
group Options : own
