# Three steps by the profiler's marks: the loader, a late launch, a kernel, a collective beside it, a copy, a wait.
awk 'function e(cat, name, pid, tid, from, to, link) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}}\n",
        n++ ? "," : "", cat, name, pid, tid, from, to - from, link
}
BEGIN {
    print "{\"deviceProperties\":[{\"name\":\"NVIDIA A100-SXM4-40GB\"}],\"with_stack\":1,\"traceEvents\":["
    for (i = 1; i <= 3; i++) {
        at = 100000 * i
        e("user_annotation", "ProfilerStep#" i, 1, 1, at, at + 100000, 0)
        e("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 1, at, at + 20000, 0)
        e("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 25000, at + 28000, i * 10 + 1)
        e("kernel", "gemm", 0, 7, at + 30000, at + 60000, i * 10 + 1)
        e("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 32000, at + 34000, i * 10 + 2)
        e("kernel", "ncclAllReduce", 0, 9, at + 55000, at + 70000, i * 10 + 2)
        e("cuda_runtime", "cudaMemcpyAsync", 1, 1, at + 36000, at + 38000, i * 10 + 3)
        e("gpu_memcpy", "Memcpy DtoH", 0, 7, at + 70000, at + 75000, i * 10 + 3)
        e("cuda_runtime", "cudaDeviceSynchronize", 1, 1, at + 74000, at + 80000, 0)
    }
    print "]}"
}' >trace.json
epochcast trace trace.json --usd-per-hour 4
gzip -k trace.json
COLUMNS=80 epochcast trace trace.json.gz --csv
epochcast trace trace.json --json
epochcast trace trace.json --markdown
sed 's/cudaLaunchKernel/cudaGraphLaunch/' trace.json >graphs.json
epochcast trace graphs.json | grep 'launches too late'
head -c 2000 trace.json >cut.json
epochcast trace cut.json
mkdir none && epochcast trace none
: >empty.json && epochcast trace empty.json
printf '\377\376[\0' >utf16.json && epochcast trace utf16.json
