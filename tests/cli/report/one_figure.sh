# tolerance: 0.3
# A fit of a grid's table and its report agree on features, parts and errors.
cp "$SRC"/tests/recorded/results/configs_cifar_cnn.csv grid.csv
epochcast report grid.csv --out page > /dev/null 2>&1 || exit
epochcast fit table grid.csv --framework epochcast --csv 2> said | awk -F, 'NR > 1 { printf "%.3g\n", $4 }' > fit.txt
sed -n 's/^| \(linear regression\|power law\|dense network\|epochcast, corr[^|]*\) | [0-9]* | \([0-9.]*\) .*/\2/p' page/report.md |
    awk '{ printf "%.3g\n", $1 }' > report.txt
paste -d' ' fit.txt report.txt | awk '{ d = $1 / $2 - 1; n += d > -0.006 && d < 0.006 } END { print NR, n }'
sed 's/; split.*Features: /: /; s/\. .*//' said
grep -o 'Errors in cross-validation[^:]*' page/report.md
