# tolerance: 0.3
# mask: <SRC>[^ ]*
cp -r "$SRC/tests/recorded/results" results
epochcast report results --out page --skip 1 --reference cloud
find page -type f | LC_ALL=C sort
grep -c '<svg' page/report.html
grep -c 'https\?://' page/report.html
grep '^#' page/report.md
sed -n '/^## Findings/,/^## Runs/p' page/report.md | grep -v 'predicts\|predicted best'
head -5 page/tables/throughput.csv
