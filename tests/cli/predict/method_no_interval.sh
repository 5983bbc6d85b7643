# tolerance: 0.02
epochcast predict mnist_cnn --device t4 --batch 32 --method justus-sum --csv | cut -d , -f 1,3,4,9,10
epochcast predict mnist_cnn --device t4,p4 --batch 32 --method roofline --markdown | grep t4 | cut -d '|' -f 4,5
epochcast predict mnist_cnn --device t4 --batch 32 --method flop --json | grep -A3 step_time
