# Twelve devices of machines of eight are two nodes of six, not of eight.
job="llama3_8b --device dgx-h100 --devices 12 --strategy fsdp --micro-batch 1 --seq-len 4096 --tokens 1B"
epochcast slurm $job >job.sh && grep -e nodes -e per-node job.sh
epochcast slurm $job --check job.sh | grep -e GPUs
epochcast slurm resnet50 --device dgx-h100 --devices 11 --batch 64 --samples 1M | grep -e nodes -e per-node
