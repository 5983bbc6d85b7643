printf "1.5,a\n2.5,b\n3.5,a\n" >t.csv
epochcast dataset csv:t.csv,test=0 --val-split 0 --show 3
