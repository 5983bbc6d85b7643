# What does not fit has no script; other devices than GPUs are no GPUs; numbers that contradict each other.
# tolerance: 0.02
epochcast slurm llama3_8b --device rtx4090 --tokens 1B
job="llama3_8b --device tpu-v5p --devices 8 --strategy fsdp --tokens 1B"
epochcast slurm $job >tpu.sh && grep -e nodes -e node: -e per-node tpu.sh
epochcast slurm $job --check tpu.sh | grep nodes
printf '#SBATCH -t 0 --gpus-per-node=h100:8 --gpus=4 --nodes=1 --ntasks=2\n' >clash.sh
epochcast slurm resnet50 --device dgx-h100 --devices 4 --batch 64 --samples 1M --check clash.sh | grep -v host
