# What is said to people does not get into the table when there is nowhere to say it.
epochcast measure layers --backend ref --threads 1 --op linear --count 2 --max-flop 1e6 \
    --budget 0.01 --max-runs 2 --out layers.csv > said 2>&-
echo $?
sed 's/, [0-9]* failed//' said # a busy machine makes a row unstable
grep -c 'linear m=' layers.csv
grep -vc 'linear m=' layers.csv
sed -n '1s/,.*//p' layers.csv
epochcast device list < /dev/null >&- 2> /dev/null || echo "an answer that nobody gets is a failure"
epochcast predict --requests - <&- > /dev/null 2>&1 || echo "requests that cannot be read are a failure"
