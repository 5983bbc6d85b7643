# The log of a loop; alone, and beside what is expected.
for s in 10 11 12 13 14; do
    echo "2026-01-31 12:00:$s step $(((s - 10) * 100))/5000 loss 2.1"
done >train.log
epochcast check --from train.log
epochcast check --from - --json <train.log
epochcast check resnet18 -d t4 -b 1 --from train.log --json | grep -E '"(measured_ns|verdict)"' | sed 's/: ".*"/: #/'
echo hello >none.log
epochcast check --from none.log
echo $?
