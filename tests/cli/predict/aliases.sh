epochcast predict --op 'gemm m=64 n=64 k=64' --device t4 --json | grep -A2 step_time > a
epochcast predict --op 'matmul b=1 m=64 n=64 k=64' --device t4 --json | grep -A2 step_time > b
cmp a b && grep -c p50 a
epochcast op dense | head -1
