# Text fits a terminal, baselines have no interval.
# tolerance: 0.02
cat > table.csv <<'END'
network,dataset,dataset_size,device,num_gpus,strategy,batch_size_per_gpu,global_batch_size,optimizer,epoch,measure,time_s,steps_per_epoch,step_time_ms
mnist_cnn,mnist,60000,p100-pcie-16gb,1,single,8,8,adam,2,epoch,16,7500,2.2
END
cat > widest.py <<'END'
import sys
print(max(len(line.rstrip("\n")) for line in sys.stdin) <= 100)
END
epochcast evaluate --networks table.csv --all-methods 2> /dev/null | tr -s ' ' | cut -d ' ' -f 1-4,7-
epochcast evaluate --networks table.csv 2> /dev/null | sed -n 1p
for words in "" "--all-methods" "--by all --by device" "--by all --by device --all-methods"; do
    epochcast evaluate --networks table.csv $words 2> /dev/null | PYTHONIOENCODING=utf-8 python3 widest.py
done
epochcast evaluate --networks table.csv --markdown 2> /dev/null | sed -n 1p
epochcast evaluate --networks table.csv --method flop --csv 2> /dev/null | cut -d , -f 9
epochcast evaluate --networks table.csv --method flop --rows rows.csv > /dev/null 2>&1
cut -d , -f 10,13,14 rows.csv
