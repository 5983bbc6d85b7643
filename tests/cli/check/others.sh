# What counts no steps: a log of MLPerf, results of Ultralytics, histories with a rate alone.
at() { # milliseconds, key, members
    echo ":::MLLOG {\"time_ms\": 17000000$1, \"event_type\": \"-\", \"key\": \"$2\", $3, \"metadata\": {}}"
}
for i in 10 30 50; do
    at ${i}000 epoch_start '"value": null'
    at $((i + 9))600 epoch_stop '"value": null'
done >epochs.txt
{
    at 00000 global_batch_size '"value": 64'
    at 00000 train_samples '"value": 3200'
    cat epochs.txt
} >steps.txt
printf '  epoch,  time,  train/loss\n  1,  21.5,  1\n  2,  31.5,  1\n  3,  41.5,  1\n' >results.csv
printf '_step,train/loss,samples_per_second\n0,2,640\n10,2,500\n20,2,500\n' >history.csv
for f in steps.txt epochs.txt results.csv history.csv; do
    epochcast check --from $f
    epochcast check resnet18 -d t4 -b 64 --from $f | grep measured
    epochcast check resnet18 -d t4 -b 64 --from $f --samples 6400 | grep measured
    epochcast evaluate $f --model resnet18 --device t4 --batch 64 --csv | cut -d, -f1-3,8
done
epochcast check --from results.csv --json
