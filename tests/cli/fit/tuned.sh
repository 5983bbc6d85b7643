# mask: \d+\.\d+ inside
# mask: =[0-9.e-]+
python3 - <<'END' > table.csv
print("device,op,rows_b,cols_h,split,time_ms")
for i in range(60):
    print("T4,relu,%d,1024,x,%g" % (256 * (i + 1), 0.01 * (i + 2)))
END
epochcast fit --op relu --data table.csv --family knn --features roofline --tune 3 --tune-state state 2>&1 >out.txt | grep chose
cat state.*.chosen
