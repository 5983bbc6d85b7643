mkdir results
echo 'model,batch_size,epoch,train_loss,val_loss
mlp,8,1,2.1,2.2
mlp,8,2,1.1,1.4' > results/curves.csv
echo 'model,ranks,batch_per_rank,optimizer,precision,num_params,step_ns,local_step_ns,all_reduce_ns,images_per_s,threads,device
mlp,1,8,sgd,fp32,1000,1000000,1000000,0,8000,1,here
mlp,2,8,sgd,fp32,1000,1250000,1050000,100000,12800,1,here
mlp,4,8,sgd,fp32,1000,1600000,1100000,200000,20000,1,here' > results/scaling.csv
epochcast report results --out page
sed -n '/^- /p; /^## Several/,/^!/p' page/report.md
find page -type f | LC_ALL=C sort
(cd page && sha256sum --quiet -c manifest.sha256) && echo as written
# What is no longer written goes, what others wrote or changed stays.
echo mine > page/pictures/mine.svg
echo '<!-- touched -->' >> page/pictures/exchange-scaling.csv.svg
rm results/scaling.csv
epochcast report results --out page
find page -type f | LC_ALL=C sort
# A manifest names nothing but what reports write.
mkdir page/tables/deep
echo precious > precious
echo precious > page/tables/deep/file
for name in ../precious tables/../../precious tables/deep/file /etc/hostname; do
    echo "$(sha256sum < precious | cut -d' ' -f1)  $name" >> page/manifest.sha256
done
epochcast report results --out page
cat precious page/tables/deep/file
