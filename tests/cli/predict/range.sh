# A range is the powers of two between its ends, and these.
# tolerance: 0.02
epochcast predict resnet18 --device t4 --batch 8..40 --sort given --csv | cut -d, -f1-4
epochcast predict resnet18 --device t4 --devices 3..3,1..2 --csv | cut -d, -f18
epochcast predict resnet18 --device t4 --batch 0..4
epochcast predict resnet18 --device t4 --precision fp32..amp
