# every name that is listed may be asked for
for host in $(epochcast device hosts --csv | sed 1d | cut -d , -f 1); do
    echo '{"model": "lenet5", "device": "t4", "host": "'$host'"}'
done > questions.jsonl
epochcast predict --requests questions.jsonl | sed '/"host":"/d'
