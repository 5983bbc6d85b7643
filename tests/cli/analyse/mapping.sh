dir=$SRC/tests/recorded/mapping
epochcast analyse "$dir/runs.csv" --mapping "$dir/mine.map" --csv | cut -d, -f1-4,8,9
