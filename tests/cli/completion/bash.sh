# What bash offers behind the words typed so far.
bash <<'END'
epochcast completion bash > completion.bash
source ./completion.bash
offered() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    compopt() { :; }
    _epochcast 2>&1
    echo "$*: $(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | head -n 4 | tr '\n' ' ')"
}
offered epochcast pre
offered epochcast predict --prec
offered epochcast predict --precision ""
offered epochcast predict -p fp32,a
offered epochcast predict resnet5
offered epochcast predict resnet50 -d t
offered epochcast predict resnet50 -d t4,a100-sxm4-4
offered epochcast predict resnet50 --batch ""
offered epochcast data im
offered epochcast data import --map
offered epochcast help pre
offered epochcast completion ""
END
epochcast completion
epochcast completion tcsh
for shell in zsh fish; do # where they are there
    ! command -v $shell > found || { epochcast completion $shell > script && $shell -n script || echo "$shell refuses its script"; }
done
