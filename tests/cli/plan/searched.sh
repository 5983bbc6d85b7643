# Options with several values are searched as well; a file of prices, CSV, a picture.
# tolerance: 0.02
printf 'device,usd_per_hour,date\nt4,0.35,2020-01-01\nrtx3090,0.3,2020-01-01\n' > prices.csv
epochcast plan resnet18 --dataset cifar10 --epochs 30 --device 't4,rtx3090,l4' --devices 1,2 --precision amp,fp32 \
    --micro-batch 32..256 --prices prices.csv --image 32 --out plan.svg --csv | cut -d, -f1-7,10-14
grep -c 'rtx3090' plan.svg
