epochcast model lenet5 --write plain.json 2>/dev/null
{ printf '\357\273\277'; cat plain.json; } >marked.json
epochcast model plain.json --csv >plain.csv
epochcast model marked.json --csv | sed 's/marked/plain/' | cmp - plain.csv && echo same
