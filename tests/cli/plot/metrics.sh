# Regressors on the same rows have errors of their own; one series has those of all points.
printf 'measured,predicted,family\n1,1,a\n2,2,a\n3,3,a\n1,2,b\n2,1,b\n3,3,b\n' > fits.csv
epochcast plot predicted-actual fits.csv --out fits.svg
sed -n 's/.*>\([^<]*R²[^<]*\)<.*/\1/p' fits.svg
grep -v b$ fits.csv | epochcast plot predicted-actual - --out one.svg
sed -n 's/.*>\([^<]*R²[^<]*\)<.*/\1/p' one.svg
