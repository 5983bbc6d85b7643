# tolerance: 0.3
dir=$SRC/tests/recorded/mapping
epochcast calibrate --device t4 --table "$dir/runs.csv" --mapping "$dir/mine.map" --csv | cut -d, -f1-3
