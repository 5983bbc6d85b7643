# A user's own mapping; the line that cannot be read is named.
# tolerance: 0.3
dir=$SRC/tests/recorded/mapping
epochcast evaluate --networks "$dir/runs.csv" --mapping "$dir/mine.map" --by precision --csv | cut -d, -f1-4
printf 'colour,taste\nred,sweet\n' >other.csv
epochcast evaluate --networks other.csv --mapping "$dir/mine.map"
epochcast evaluate --networks other.csv --mapping torchtitan
epochcast evaluate --networks other.csv --mapping torchtitn
epochcast evaluate --networks other.csv --mapping nowhere.map
epochcast evaluate --networks other.csv --layout torchtitan
