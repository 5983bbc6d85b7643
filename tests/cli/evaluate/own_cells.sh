# What people write into cells: units, thousands, yes and no, runs out of memory; memory beside time.
cat > mine.csv <<'END'
Model,GPU,Batch Size,Mixed Precision,Throughput,peak_mem_gb,Notes
resnet50,RTX 3090,64,yes,690 img/s,6.1,ok
ResNet-50,RTX 3090,128,no,"1,007",12.0,fast
resnet50,RTX 3090,512,no,OOM,,
resnet18,RTX 3090,4,no,CUDA out of memory,,
vgg16,RTX 3090,32,yes,abc,,
nonet,RTX 3090,16,yes,150,,
nonet,RTX 3090,32,yes,150,,
END
epochcast evaluate mine.csv > rows.txt
grep -E '^ +[0-9]' rows.txt | sed -E 's/ +/ /g' | cut -d' ' -f2-8
sed -n '/line 4,/,$p' rows.txt | tr -s ' \n' ' ' | sed -E 's/[0-9.]+ GiB/# GiB/g; s/$/\n/'
epochcast evaluate mine.csv --by device --csv 2>/dev/null | cut -d, -f1-4
epochcast calibrate --device rtx3090 --table mine.csv --out p.json > /dev/null
printf 'model,device,batch,step_ms\nnonet,t4,1,2\n' > none.csv
epochcast evaluate none.csv
# What nvidia-smi shows is more than what the allocator has handed out.
printf 'model,device,batch,amp,ms/it,GPU mem (MB)\nresnet50,rtx3090,64,yes,84,5300\n' > smi.csv
epochcast evaluate smi.csv --csv | grep memory_peak_bytes | cut -d, -f9,15
