# Layers that are never predicted (two GPUs, with the host's work) are fitted from a folder as from a file.
mkdir layers
head=batchsize,matsize,kernelsize,channels_in,channels_out,strides,padding,precision,use_bias,gpu,timeUsed_median,timeUsed_min
head=$head,timeUsed_max,timeUsed_std,elements_matrix,opt_Adam,opt_SGD,act_None,act_relu
for i in 1 2; do
    awk -v head=$head -v i=$i 'BEGIN { print head
        for (n = 8 * i; n <= 64; n *= 2) for (c = 8; c <= 64; c *= 2)
            printf "%d,32,3,%d,%d,1,1,32,0,2,%g,1,1,0,1024,%d,%d,1,0\n", n, c, c, 5 + n * c * c / 1e4, (n % 16 > 0), (n % 16 == 0) }' \
        > layers/part$i.csv
done
for tables in 'layers/part1.csv layers/part2.csv' layers '--data layers'; do
    epochcast fit --op conv2d --device p100 --family linear --features memory --csv $tables 2>&1 > out.csv | tail -n 1
    cut -d, -f1,2 out.csv
done
# A broken file of the folder is named and left out.
printf 'a,b\n1\n' > layers/broken.csv
epochcast fit --op conv2d --device p100 --family linear --features memory --csv layers 2>&1 | cut -d, -f1,2
# A device that the names of files say counts in a folder too; an operator that the tables do not hold.
rm layers/broken.csv
for i in 1 2; do mv layers/part$i.csv layers/part${i}_P100.csv; done
epochcast fit --op conv2d --family linear --features memory --csv layers 2>&1 > out.csv | tail -n 1
cut -d, -f1,2 out.csv
epochcast fit --op lstm layers
epochcast fit --op dens layers
