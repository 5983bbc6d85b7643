# A trace of three steps of one rank: a product, and a collective that takes `coll` us.
function e(cat, name, pid, tid, from, dur, link, more) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d%s}}\n",
        n++ ? "," : "", cat, name, pid, tid, from, dur, link, more
}
BEGIN {
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
}
