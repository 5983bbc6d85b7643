#compdef epochcast
# Completion of epochcast in zsh, by `epochcast completion zsh`.
_epochcast()
{
    local -a found
    found=("${(@f)$(epochcast completion words -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
    local first=$found[1]
    found=("${(@)found[2,-1]//:/\\:}")
    found=("${(@)found/$'\t'/:}")
    local missing=1
    _describe word found && missing=0
    [[ $first == files ]] && _files && missing=0
    return missing
}
compdef _epochcast epochcast
