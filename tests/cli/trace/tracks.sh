# tolerance: 0.15
# The measured and the predicted step as tracks in one file.
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
make r0.json 0 300 100
make r1.json 1 200 200
epochcast trace r0.json --perfetto step.json.gz >/dev/null && gzip -dc step.json.gz
epochcast trace r0.json --perfetto step.json --csv >step.csv && head -2 step.json
epochcast trace r0.json r1.json --perfetto step.json
epochcast trace r0.json --perfetto nowhere/step.json.gz
