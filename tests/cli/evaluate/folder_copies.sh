# A table that was made from others of the folder has their samples again: each run counts once.
mkdir runs
awk 'BEGIN { print "env,device,model,batch_size,iteration,time_ms"
    for (i = 0; i < 6; i++) printf "card,t4,resnet18,32,%d,%d\n", i, 100 + i * i
    for (i = 0; i < 6; i++) printf "card,t4,resnet18,64,%d,%d\n", i, 200 + i * i }' > runs/all.csv
sed -n '1p; s/^card\(.*,64,\)/lab\1/p' runs/all.csv > runs/lab.csv
epochcast evaluate runs --csv | cut -d, -f1-5
# Few samples may agree by chance.
sed -i 5,7d runs/all.csv
sed -n '1p; s/^card\(.*,32,\)/lab\1/p' runs/all.csv > runs/lab.csv
epochcast evaluate runs --csv | cut -d, -f1-5
