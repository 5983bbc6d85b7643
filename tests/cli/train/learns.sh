# tolerance: 0.02
epochcast train mnist_cnn --data synthetic:train=128,test=32 --batch 16 --epochs 2 --backend ref --threads 1 --lr 0.002 --test --json --curves curves.csv --csv grid.csv --plot curves.svg --store-file s.sqlite --checkpoint ck 2> /dev/null | grep -E 'num_params|"epochs"|"steps"|stopped|test_loss|weights_bytes|optimizer_bytes'
sed 's/,test=32/;test=32/' curves.csv | cut -d, -f1-5,7,9
cut -d, -f1-7,11-13 grid.csv
head -c 4 curves.svg
echo
ls ck
EPOCHCAST_STORE=s.sqlite epochcast data list --csv | cut -d, -f2-6 | sed 's/train-[^,]*/KEY/'
