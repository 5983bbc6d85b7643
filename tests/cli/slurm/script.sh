# The lines of a script; the same lines have no fault, others have. Times move with the constants.
job="resnet50 --device p4d.24xlarge --devices 16 --batch 256 --precision amp --dataset imagenet --epochs 90"
epochcast slurm $job >job.sh && sed -E 's/takes .* in the/takes # in the/; s/--time=.*/--time=#/' job.sh
epochcast slurm $job --check job.sh | sed -E 's/--time=[^:]*:..:../--time=#/; s/ 99 %.*/ 99 %/; s/9[89] %$/# %/'
cat >short.sh <<'END'
#!/bin/bash
#SBATCH -t 10 -N 1
#SBATCH --gres=gpu:v100:8 --mem=1G
#SBATCH --mail-type=END
srun python train.py
#SBATCH --time=99-00
END
epochcast slurm $job --check short.sh | sed -E 's/needs .*/needs #/; s/99 %$/# %/'
epochcast slurm $job --check short.sh >/dev/null
echo $?
echo '#SBATCH --nodes=some' >bad.sh
epochcast slurm $job --check bad.sh
echo $?
epochcast slurm resnet50 --device t4
epochcast slurm resnet50 --device t4,l4 --samples 100
