# The nine columns of the grid without another word, and the same by other names.
head=depth,base_filters,batch_size,num_params,dataset_size,epochs,time_per_epoch,images_per_second,max_gpu_mem_mb
awk -v head=$head 'BEGIN { print head
    for (d = 2; d <= 4; d++) for (f = 32; f <= 64; f *= 2) for (b = 32; b <= 128; b *= 2)
        printf "%d,%d,%d,1000,40000,5,%.4f,%.1f,100\n", d, f, b, d * f / b ^ 0.5, 4e4 / (d * f) * b ^ 0.5 }' > grid.csv
sed 's/^depth.*/Depth,Base Filters,Batch,params,train_size,Epochs,epoch_time_s,imgs\/s,peak_memory_mb/' grid.csv > other.csv
echo '4,64,256,1000,40000,5,,1,100' >> other.csv
for table in grid other; do
    epochcast fit --table $table.csv --family ours --rows rows.csv --csv | cut -d, -f1,2
    epochcast fit --table $table.csv --target images_per_second --family linear --csv | cut -d, -f1,2
    head -n 1 rows.csv
done
epochcast fit --table grid.csv --features depth,colour
printf 'colour,time_s\n1,2\n' > none.csv
epochcast fit --table none.csv
