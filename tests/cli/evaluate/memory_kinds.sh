# Memory of an unknown kind is judged by the nearer of what the allocator hands out and what nvidia-smi shows.
for column in max_memory_allocated_mib max_gpu_mem_mib peak_memory_mib; do
    printf "model,device,batch,precision,step_time_ms,$column\nresnet50,t4,32,fp32,284,3000\nresnet50,t4,32,fp32,284,5200\n" > mine.csv
    epochcast evaluate mine.csv --csv | grep -i mib\\\|memory | cut -d, -f2-12
done
