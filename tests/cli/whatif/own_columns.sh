# Words beside the numbers of configurations, and columns that are called as people call them.
cat > mine.csv <<'END'
filters,depth,batch_size,gpu,notes,time_per_epoch,test_acc
16,2,32,T4,first run,12.1,0.61
32,2,32,T4,x,15.0,0.66
64,2,32,T4,x,22.0,0.70
16,3,64,T4,x,13.1,0.65
32,3,64,T4,x,18.0,0.69
64,3,64,T4,x,27.0,0.74
END
epochcast whatif mine.csv filters=48 | sed -n '2p; 5s/  .*//p'
epochcast fit mine.csv --family linear,power --csv | cut -d, -f1
cut -d, -f2,6 mine.csv > few.csv
epochcast fit few.csv
epochcast report mine.csv
grep -E '^- (Of|Where)|plot heat' mine-report/report.md
# a grid alone, without network, device and numbers of parameters
cut -d, -f1-3,6 mine.csv | sed '1s/.*/Filters,Depth,Batch Size,Time per epoch (s)/' > bare.csv
epochcast report bare.csv
grep -E '^- (Of|Where)|plot heat' bare-report/report.md
