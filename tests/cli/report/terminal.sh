# A line of progress is written over, and ends at the margin.
mkdir results
printf 'epoch,train_loss,val_accuracy\n1,2,0.1\n2,1,0.5\n' >results/curves.csv
python3 -c 'import pty; pty.spawn(["epochcast", "report", "results", "--out", "page"])' </dev/null | tr '\r\033' '\n^'
