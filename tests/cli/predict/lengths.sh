# Samples of many lengths: the mean and the padding do not move with the constants.
job="gpt2 -d a100 --batch 8 --samples 10000 --lengths 100:0.8,900:0.2"
for padding in longest max packed; do
    epochcast predict $job --seq-len 1024 --padding $padding | grep -E '^gpt2|padding'
done
printf 'tokens\n100\n300\n' >lengths.csv
epochcast predict gpt2 -d a100 --batch 8 --lengths ./lengths.csv | grep padding
epochcast predict gpt2 -d a100 --lengths many
epochcast predict gpt2 -d a100 --padding packed
echo '{"model":"gpt2","device":"a100","batch":4,"lengths":"/etc/passwd"}' | epochcast predict --requests - --no-files |
    grep -o 'files are not read.*)'
