# Columns that matter less are left out; what is written is no wider than the terminal.
for width in 40 60 80 120; do
    COLUMNS=$width epochcast model resnet18 | sed '/^$/,$d' > out
    head -n 1 out | sed 's/ *$//'
    python3 -c 'import sys; print(max(len(line.rstrip("\n")) for line in open("out", encoding="utf-8")) <= int(sys.argv[1]))' $width
done
