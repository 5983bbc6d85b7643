# tolerance: 0.15
# A trace where a table stands: its operators and its steps as measurements.
awk 'function e(cat, name, pid, tid, from, dur, link, more) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d%s}}\n",
        n++ ? "," : "", cat, name, pid, tid, from, dur, link, more
}
function call(name, args, from, dur) {
    link++
    e("cpu_op", name, 1, 1, from, 40, 0, "," args)
    e("cuda_runtime", "cudaLaunchKernel", 1, 1, from + 10, 10, link)
    e("kernel", "k" name, 0, 7, from + 50, dur, link)
}
BEGIN {
    print "{\"deviceProperties\":[{\"name\":\"NVIDIA A100-SXM4-40GB\"}],\"traceEvents\":["
    for (i = 1; i <= 3; i++) {
        at = 100000 * i
        e("user_annotation", "ProfilerStep#" i, 1, 1, at, 100000, 0)
        call("aten::mm", "\"Input Dims\":[[4096,1024],[1024,1024]],\"Input type\":[\"float\",\"float\"],\"Concrete Inputs\":[\"\",\"\"]", at + 100, 500)
        call("aten::mm", "\"Input Dims\":[[4096,1024],[1024,1024]],\"Input type\":[\"float\",\"float\"],\"Concrete Inputs\":[\"\",\"\"]", at + 700, 540)
        call("aten::threshold_backward", "\"Input Dims\":[[4096,1024],[4096,1024],[]],\"Input type\":[\"float\",\"float\",\"Scalar\"],\"Concrete Inputs\":[\"\",\"\",\"0\"]", at + 1300, 40)
        call("aten::copy_", "\"Input Dims\":[[4096,1024],[4096,1024],[]],\"Input type\":[\"float\",\"float\",\"Scalar\"],\"Concrete Inputs\":[\"\",\"\",\"0\"]", at + 1400, 30)
    }
    print "]}"
}' >profile.json
gzip -k profile.json
export EPOCHCAST_STORE=$PWD/store.sqlite
epochcast data import profile.json --model resnet50 --batch 32
epochcast data import profile.json.gz
epochcast data list --device 'a100*' --csv
mkdir runs
mv profile.json.gz runs
COLUMNS=100 epochcast evaluate runs
epochcast calibrate --device a100-sxm4-40gb --table profile.json --csv | cut -d, -f1-4
head -c 900 profile.json >cut.json
epochcast evaluate cut.json
epochcast evaluate cut.json --mapping nosuch 2>/dev/null || echo "status $?"
grep -v '"kernel"' profile.json >host.json
epochcast evaluate host.json
epochcast data import host.json
epochcast trace host.json | tail -1
