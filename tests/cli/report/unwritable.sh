mkdir results
cp $SRC/measured/h200/grids/configs_cifar_cnn_pytorch.csv results/
touch file
epochcast report results --out nowhere/page || true
epochcast report results --out file || true
epochcast report missing --out page || true
mv results/*.csv .
echo 'not a table' >results/broken.csv
epochcast report results --out file/page
