# Completion of epochcast in bash, by `epochcast completion bash`.
_epochcast()
{
    local cur=${COMP_WORDS[COMP_CWORD]} IFS=$'\n' found
    found=$(epochcast completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
    [[ $found == files* ]] || compopt +o default
    COMPREPLY=($(compgen -W "$(tail -n +2 <<< "$found" | cut -f 1)" -- "$cur"))
}
complete -o default -F _epochcast epochcast
