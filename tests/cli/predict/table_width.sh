# A narrow terminal gets fewer columns: the time of the device goes first, then what the answer rests on.
for columns in 60 160 0; do
    COLUMNS=$columns epochcast predict resnet50 -d t4,a100 -b 32 > table.txt 2> note.txt
    grep '^device' table.txt | sed -E 's/ +/ /g'
    cat note.txt
done
COLUMNS=80 epochcast predict resnet50 -d t4,a100 -b 32 --markdown | sed -n 4p
COLUMNS=80 epochcast predict resnet50 -d t4,a100 -b 32 2> /dev/null | PYTHONIOENCODING=utf-8 python3 -c '
import sys
print(max(len(line.rstrip("\n")) for line in sys.stdin.readlines()) <= 80)'
