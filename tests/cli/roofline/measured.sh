# tolerance: 0.3
cat >ceilings.map <<'END'
what = {what}
kind = ceiling
device = {device}
precision = fp32
mode = ceiling
time_ms = {ms}
END
cat >ceilings.csv <<'END'
what,device,ms
gemm m=4096 n=4096 k=4096,t4,30
gemm m=1024 n=1024 k=1024,t4,1
copy bytes=268435456,t4,2.2
END
epochcast data import ceilings.csv --mapping ceilings.map --store s.sqlite >/dev/null
epochcast data import "$SRC/tests/recorded/results/iterations.csv" --store s.sqlite >/dev/null
epochcast roofline resnet50 --device t4 --batch 64 --store s.sqlite --out picture.svg
grep -o 'measured: [^<]*' picture.svg
epochcast roofline resnet50 --device t4 --batch 64 --store s.sqlite --csv | tr ',' '\n' | grep -c .
