#!/usr/bin/env python3
"""run.py BUILD [MB]: how fast `epochcast trace` reads, and in how much memory, a generated trace of so many MB (500),
plain and gzip. Events are as Kineto writes them today with shapes and call stacks: of ten four are kept, an operator, a
module, a launch, a kernel; of the traces that the tests read 26 to 44 % are."""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

KERNEL = ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >"
          "(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)")


def group(i, at):
    """The events around one kernel: about 3 kB."""
    op = {"External id": i, "Record function id": 0, "Concrete Inputs": ["", "", "1"],
          "Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar"], "Input Strides": [[1048576, 1024, 1], [1048576, 1024, 1], []],
          "Input Dims": [[8, 1024, 1024], [8, 1024, 1024], []], "Ev Idx": i}
    kernel = {"External id": i, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": i,
              "registers per thread": 24, "shared memory": 0, "blocks per SM": 62.1, "warps per SM": 248.4,
              "grid": [8192, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 100}
    host, stream = {"pid": 100, "tid": 100}, {"pid": 0, "tid": 7}
    for what in (
            *(dict(ph="X", cat="python_function", name="torch/nn/modules/module.py(155%d): _call_impl" % k, **host, ts=at, dur=19.5,
                   args={"Python parent id": 1, "Python id": i, "Ev Idx": i}) for k in range(3)),
            dict(ph="i", cat="cpu_instant_event", s="t", name="[memory]", **host, ts=at + 3, args={
                "Total Reserved": 2629828608, "Total Allocated": 1003059712, "Bytes": 18317312, "Addr": 137877174353920,
                "Device Id": 0, "Device Type": 1, "Ev Idx": i}),
            dict(ph="X", cat="python_function", name="nn.Module: Linear_%d" % (i % 97), **host, ts=at + 0.2, dur=18.5,
                 args={"Python parent id": 1, "Python id": i, "Python module id": i % 97, "Ev Idx": i}),
            dict(ph="X", cat="cpu_op", name="aten::add", **host, ts=at + 1, dur=15.25, args=op),
            dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", **host, ts=at + 4, dur=6.125,
                 args={"External id": i, "cbid": 211, "correlation": i}),
            dict(ph="s", id=i, **host, ts=at + 4, cat="ac2g", name="ac2g"),
            dict(ph="X", cat="kernel", name=KERNEL, **stream, ts=at + 30, dur=14.75, args=kernel),
            dict(ph="f", id=i, **stream, ts=at + 30, cat="ac2g", name="ac2g", bp="e")):
        yield json.dumps(what)


FIRST = 71717  # the leading digits of all times and numbers of the first step; those of the next follow


def generate(path, size):
    """One step is one text; for each further one its times and numbers get other leading digits."""
    lines = []
    for i in range(2000):
        lines.extend(group(FIRST * 10000 + i, FIRST * 1e5 + 10 + i * 20.0))
    lines.append(json.dumps(dict(ph="X", cat="user_annotation", name="ProfilerStep#%d" % FIRST, pid=100, tid=100, ts=FIRST * 1e5,
                                 dur=40020)))
    text = ",\n".join(lines) + ",\n"
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": [\n')
        for step in range(FIRST, FIRST + -(-size // len(text))):
            f.write(text.replace(str(FIRST), str(step)))
        f.write('{"ph": "M", "name": "process_name", "pid": 100, "args": {"name": "python"}}]}\n')


def measure(program, path):
    """Seconds, of them processor's, and MB resident."""
    begin = time.monotonic()
    process = subprocess.Popen([program, "trace", path, "--csv"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("epochcast trace failed")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    program = os.path.join(sys.argv[1], "epochcast")
    size = int(sys.argv[2]) * 10**6 if len(sys.argv) > 2 else 500 * 10**6
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        generate(path, size)
        size = os.path.getsize(path)
        seconds, processor, resident = measure(program, path)
        print("plain %.0f MB: %.2f s, %.2f s of a processor, %.0f MB/s of these, %.0f MB resident" % (
            size / 1e6, seconds, processor, size / 1e6 / processor, resident), flush=True)
        with open(path, "rb") as source, gzip.open(path + ".gz", "wb", compresslevel=1) as packed:
            shutil.copyfileobj(source, packed, 1 << 20)
        os.remove(path)
        seconds, processor, resident = measure(program, path + ".gz")
        print("gzip of the same: %.2f s, %.2f s of a processor, %.0f MB resident" % (seconds, processor, resident))


if __name__ == "__main__":
    main()
