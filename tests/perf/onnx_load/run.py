#!/usr/bin/python3
"""Time to open a 100 MB ONNX file with weights: python-onnx, protobuf-c, and our reader.

    run.py BUILD_DIR [--runs N]

Builds the file from examples/resnet50.onnx with python3-onnx (random weights), the protobuf-c
program from onnx.proto with protoc-c. Ours includes counting the network; the others only read.
Prints the least and the median time of each and exits 1 when ours is not 20 times faster than
python-onnx; exits 77 (skipped) when a tool is missing.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
WANTED_RATIO = 20
PROTO = "/usr/include/onnx/onnx.proto"

try:
    import numpy
    import onnx
    from onnx import numpy_helper
except ImportError as why:
    print("skipped:", why)
    sys.exit(SKIPPED)

HERE = os.path.dirname(os.path.abspath(__file__))


def make_file(path):
    """The example's parameters, which are graph inputs there, become initializers with values."""
    model = onnx.load(os.path.join(HERE, "..", "..", "..", "examples", "resnet50.onnx"))
    rng = numpy.random.default_rng(1)
    for value in list(model.graph.input)[1:]:
        dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
        weights = rng.standard_normal(dims, dtype=numpy.float32)
        model.graph.initializer.append(numpy_helper.from_array(weights, value.name))
        model.graph.input.remove(value)
    onnx.save(model, path)


def python_onnx(path, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        onnx.load(path)
        times.append((time.perf_counter() - start) * 1e3)
    return min(times), sorted(times)[runs // 2]


def protobuf_c(path, runs, folder):
    if not shutil.which("protoc-c") or not os.path.exists(PROTO):
        return None
    program = os.path.join(folder, "protobuf_c")
    subprocess.run(["protoc-c", "--c_out=" + folder, "-I" + os.path.dirname(PROTO), PROTO],
                   check=True)
    subprocess.run(["gcc", "-O2", "-I" + folder, os.path.join(HERE, "protobuf_c.c"),
                    os.path.join(folder, "onnx.pb-c.c"), "-lprotobuf-c", "-o", program], check=True)
    got = subprocess.run([program, path, str(runs)], capture_output=True, text=True, check=True)
    return tuple(float(word) for word in got.stdout.split())


def ours(path, runs, build):
    program = os.path.join(build, "tests", "perf", "perf-onnx-load")
    got = subprocess.run([program, path, str(runs)], capture_output=True, text=True, check=True)
    return tuple(float(word) for word in got.stdout.split()[:2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "resnet50.onnx")
        make_file(path)
        print("%d bytes, %d runs, milliseconds: least, median" %
              (os.path.getsize(path), options.runs))
        theirs = python_onnx(path, options.runs)
        print("python-onnx %10.3f %10.3f" % theirs)
        unpacked = protobuf_c(path, options.runs, folder)
        if unpacked:
            print("protobuf-c  %10.3f %10.3f" % unpacked)
        mine = ours(path, options.runs, options.build)
        print("epochcast   %10.3f %10.3f (counting included)" % mine)
    ratio = theirs[1] / mine[1]
    print("%s: %.0f times faster than python-onnx" % ("ok" if ratio >= WANTED_RATIO else "FAILED",
                                                     ratio))
    return 0 if ratio >= WANTED_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
