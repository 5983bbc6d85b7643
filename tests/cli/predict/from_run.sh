# The parts of a step are those of the run, and what would help is told by predictions without it.
# tolerance: 0.02
epochcast predict vgg16 -d rtx3090 -b 16 --devices 4 --from-run 1=80ms
