# A table that was made from others has their samples again: each run counts once.
mkdir runs
awk 'BEGIN { print "env,device,model,batch_size,iteration,time_ms"
    for (i = 0; i < 6; i++) printf "card,t4,resnet18,32,%d,%d\n", i, 100 + i * i }' > runs/all.csv
sed 's/^card/lab/' runs/all.csv > runs/lab.csv
epochcast analyse runs --no-predict --csv | cut -d, -f1-4,11
