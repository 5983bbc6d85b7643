# Completion of epochcast in fish, by `epochcast completion fish`.
function __epochcast
    set -l found (epochcast completion words -- (commandline -opc)[2..-1] (commandline -ct) 2> /dev/null)
    printf '%s\n' $found[2..-1]
    test "$found[1]" = files; and __fish_complete_path (commandline -ct)
end
complete -c epochcast -f -a '(__epochcast)'
