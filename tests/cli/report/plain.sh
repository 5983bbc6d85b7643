# Tables of users beside each other; what lacks something is told.
mkdir results
printf 'model,gpu,batch_size,step_time_ms\nresnet50,A100,32,110.5\nresnet50,A100,64,220\nresnet18,A100,none,80\n' > results/simple.csv
printf 'iter_idx,iter_time_ms,imgs_per_sec\n0,90,711\n1,80,800\n2,81,790\n' > results/v100.csv
epochcast report results | cut -d: -f1
epochcast report results --model resnet18 | cut -d: -f1
grep -c 'resnet18' results/report/report.md
