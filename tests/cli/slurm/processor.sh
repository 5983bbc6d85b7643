# A processor is no GPU: its node is the job's alone, and the memory of the step is the host's. A guess is said as one.
job="resnet50 -d cpu-xeon-spr-8480 -b 64 --dataset cifar10 --epochs 10"
epochcast slurm $job | sed -E 's/takes .* in the/takes # in the/; s/--time=.*/--time=#/'
epochcast slurm $job -p bf16 | sed -E 's/takes .* \(/takes # (/; s/--time=.*/--time=#/'
epochcast slurm $job >job.sh && epochcast slurm $job --check job.sh | sed -E 's/--time=[^:]*:..:../--time=#/'
printf '#SBATCH -t 2-0 --gpus=1\n' >gpu.sh
epochcast slurm $job --check gpu.sh
