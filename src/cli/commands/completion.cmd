opts completion_opts

fields own
shell str SHELL of:shells : the shell to write for; words: none, but what the scripts ask
words strs WORD : a command line so far, behind `words --`; its last word is what to complete

command completion : write a script that completes command lines in bash, zsh or fish
run run
usage bash|zsh|fish
usage words WORD...
positional shell words
group Options : own
