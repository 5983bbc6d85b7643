# tolerance: 0.15
# Two ranks: the second comes last to the collectives. Two traces compared. A step beside the prediction of its network.
make() { # FILE RANK DURATION-OF-COLLECTIVE KERNEL STEP
    awk -v rank="$2" -v coll="$3" -v kernel="$4" -v step="${5:-1000}" 'function e(cat, name, pid, tid, from, dur, link, more) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d%s}}\n",
        n++ ? "," : "", cat, name, pid, tid, from, dur, link, more
}
BEGIN {
    q = "\""
    print "{\"deviceProperties\":[{\"name\":\"NVIDIA A100-SXM4-40GB\"}],\"distributedInfo\":{\"rank\":" rank ",\"world_size\":2},\"traceEvents\":["
    for (i = 1; i <= 3; i++) {
        at = step * i
        e("user_annotation", "ProfilerStep#" i, 1, 1, at, step, 0)
        e("cpu_op", "aten::mm", 1, 1, at + 10, 90, 0, ",\"Input Dims\":[[64,1024],[1024,1024]],\"Input type\":[\"float\",\"float\"],\"Concrete Inputs\":[\"\",\"\"]")
        e("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 20, 10, i * 10 + 1)
        e("kernel", "sgemm", 0, 7, at + 50, kernel, i * 10 + 1)
        e("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 110, 10, i * 10 + 2)
        e("kernel", "ncclAllReduce", 0, 9, at + 50 + kernel, coll, i * 10 + 2)
    }
    print "]}"
}' >"$1"
}
mkdir ranks
make ranks/r0.json 0 300 100
make ranks/r1.json 1 200 200
COLUMNS=80 epochcast trace ranks | tail -8
epochcast trace --compare ranks/r0.json ranks/r0.json >/dev/null && echo "alike"
make slow.json 0 900 100 1200
COLUMNS=80 epochcast trace --compare ranks/r0.json slow.json
echo "status $?"
COLUMNS=80 epochcast trace ranks/r0.json --model mlp --batch 64 | head -12
epochcast trace ranks/r0.json --model mlp --batch 32 --precision bf16 --framework pytorch-compiled --layers | head -6
epochcast trace ranks/r0.json --model mlp --batch 64 --layers --csv
epochcast trace ranks/r0.json --model mlp --batch 64 --json | grep -A 8 '"notes"'
epochcast trace --compare ranks/r0.json
