# A folder of tables: what one of them repeats counts once, what is no table of measurements is named.
mkdir runs
awk 'BEGIN { print "env,device,model,batch_size,iter_idx,iter_time_ms"
    for (i = 0; i < 9; i++) printf "a,t4,resnet18,32,%d,%g\n", i, 95 + i % 4
    for (i = 0; i < 9; i++) printf "a,t4,resnet18,64,%d,%g\n", i, 190 + i % 5 }' > runs/all.csv
sed '/,64,/d' runs/all.csv > runs/b32.csv
printf 'environment,model,batch_size,avg_time_ms,std_time_ms,min_time_ms,max_time_ms,num_iterations\nt4,resnet18,32,96,1,95,98,9\n' > runs/summary.csv
epochcast calibrate --device t4 --table runs
# A data sheet is no table.
printf '{\n  "bandwidth": 320,\n  "cores": 2560\n}\n' > sheet.json
epochcast calibrate --device t4 --table sheet.json
epochcast analyse sheet.json
epochcast data import sheet.json --store s.sqlite
epochcast report sheet.json
# A folder without tables: what its files are for.
mkdir sheets
mv sheet.json sheets
epochcast model lenet5 --write sheets/net.json > /dev/null
echo '{"notes": []}' > sheets/other.json
epochcast calibrate --device t4 --table sheets
epochcast evaluate sheets
epochcast analyse sheets
epochcast report sheets
epochcast data import sheets --store sheets.db
epochcast fit table sheets
epochcast whatif sheets
epochcast analyse runs/b32.csv --device a100
