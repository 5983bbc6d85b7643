# tolerance: 0.3
epochcast roofline lenet5 --device t4 --batch 64 --layers --csv | sort -t , -k 7,7
epochcast roofline lenet5 --device t4 --batch 64 --layers --top 2 --csv | cut -d , -f 7
epochcast roofline resnet18 --device t4 --batch 64 --layers --out picture.svg >/dev/null
grep -o 'Roofline of [^<]*' picture.svg | head -n 1
grep -c 'numbered' picture.svg
