# The boards of examples/boards.csv, which the catalogue has not: each row is read, and answered for as its generation is.
# tolerance: 0.05
epochcast predict resnet50 --device "$SRC/examples/boards.csv" --batch 8 --precision amp --csv 2>said | wc -l
grep -c "boards.csv" said
for board in rtx4060-laptop gtx1650 gb10; do
    epochcast predict resnet50 --device "$SRC/examples/boards.csv:$board" --batch 32 --precision amp | grep -E '^  (step|samples)'
done
