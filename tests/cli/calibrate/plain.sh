# Rows of the device out of a user's own table: the device need not stand in it.
printf 'Model,Batch,Images/s\nresnet50,32,330\nresnet18,many,900\n' > mine.csv
epochcast calibrate --device a100 --table mine.csv --csv 2> err | cut -d, -f1-4
grep mine err
printf 'Batch,Images/s\n32,330\n' > nameless.csv
epochcast calibrate --device a100 --table nameless.csv --model resnet50 --precision amp --csv 2> err | cut -d, -f1-4
epochcast calibrate --device a100 --table nameless.csv
