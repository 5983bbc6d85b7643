# The mapping is for tables that have its columns, others are read by theirs.
dir=$SRC/tests/recorded/mapping
mkdir results
cp "$dir/runs.csv" results
printf 'model,device,batch,step_time_ms\nresnet18,t4,8,20\n' >results/other.csv
epochcast report results --mapping "$dir/mine.map"
printf 'what = {net\n' >wrong.map
epochcast report results --mapping wrong.map
