# tolerance: 0.3
# Each command that a report prints runs as it is printed. Not those that measure: they name no network.
mkdir -p "my results"
cp "$SRC"/tests/recorded/results/*.csv "my results"
cat > "my results/grid.csv" <<'END'
depth,base_filters,batch_size,num_params,time_per_epoch,dataset_size
2,32,32,1060138,2.1,50000
2,32,128,1060138,1.2,50000
2,64,32,2222222,3.2,50000
2,64,128,2222222,2.0,50000
3,32,32,666666,2.6,50000
3,32,128,666666,1.5,50000
3,64,32,1444444,4.4,50000
3,64,128,1444444,2.6,50000
4,32,32,888888,3.4,50000
4,32,128,888888,1.9,50000
4,64,32,3915914,6.0,50000
4,64,128,3915914,3.1,50000
END
epochcast report "my results" --out "the page" 2> /dev/null > /dev/null || exit
sed -n 's/^    \(epochcast .*\)/\1/p; s/^`\(epochcast report .*\)`$/\1/p' "the page/report.md" | sort -u > commands
n=$(wc -l < commands)
bad=0
while read -r line; do
    eval "$line" > out 2> err < /dev/null || { bad=$((bad + 1)); echo "$line"; head -1 err; }
done < commands
test "$n" -gt 10 && echo "$bad failed"
# A measured row is what was measured, and what follows is not crossed.
grep '^- Within' "the page/report.md"
# What follows from other columns cannot be set.
epochcast whatif "my results/configs_cifar_cnn.csv" num_params=5 --features depth,base_filters,num_params
epochcast whatif "my results/grid.csv" depth=5 --features depth,base_filters,batch_size,num_params --budget 3s --csv | head -1
