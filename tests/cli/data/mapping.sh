cat > mine.csv <<EOF
gpu,N,C,HW,K,ms,room
t4,8,16,20,32,1.5,warm
t4,8,16,20,64,2.5,cold
EOF
cat > mine.map <<EOF
# what the columns mean
what = conv2d n={N} c={C} h={HW} w={HW} k={K} r=3 pad=same
device = {gpu}
framework = pytorch-2
forward_ms = {ms}
EOF
epochcast data import mine.csv --mapping mine.map --source mine --store s
epochcast data list --source mine --store s
echo 't4,8,16,20,96,3.5,hot' >> mine.csv
epochcast data import mine.csv --mapping mine.map --source mine --store s
