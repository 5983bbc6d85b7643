# The card is no wider than the terminal, and has the same words.
for width in 40 60 80; do
    COLUMNS=$width epochcast predict gpt2 -d rtx3090 -b 16 > out
    python3 -c 'import sys; print(max(len(line.rstrip("\n")) for line in open("out", encoding="utf-8")) <= int(sys.argv[1]))' $width
    epochcast predict gpt2 -d rtx3090 -b 16 | tr -s ' \n' '\n\n' > words
    tr -s ' \n' '\n\n' < out | cmp - words && echo same
done
