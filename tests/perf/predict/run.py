#!/usr/bin/env python3
"""Speed of predictions: tests/perf/predict/run.py BUILD

Whole processes, requests on a pipe, and calls of the library, each a median over repetitions with
the smallest and the largest. Processes are timed by the clock on the wall; rates are per second of
processor time, so that what else runs on the machine does not count. Beside each stands what we
want at least (most, for times).
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import time

RUNS = 51
NETWORKS = ["alexnet", "vgg16", "resnet18", "resnet50", "resnet152", "densenet121", "mobilenet_v2",
            "googlenet", "squeezenet1_0", "efficientnet_b0", "inception_v3", "convnext_tiny",
            "vit_b_16", "swin_t", "bert_base", "gpt2", "lstm_lm", "lenet5", "shufflenet_v2_x1_0",
            "regnet_y_400mf"]
DEVICES = ["a100-sxm4-40gb", "t4", "v100-sxm2-16gb", "rtx3090"]
OPERATORS = ["conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1", "linear m=4096 k=768 n=3072",
             "matmul b=96 m=512 k=64 n=512", "softmax x=96x512x512", "layer_norm x=8x512x768",
             "batch_norm x=32x256x14x14", "relu x=32x256x56x56"]


def network_lines(mixes):
    mix = [{"model": m, "device": d, "batch": b} for b in (1, 32, 256) for d in DEVICES
           for m in NETWORKS]
    return [json.dumps(q) for q in mix] * mixes


def operator_lines(n):
    return [json.dumps({"op": OPERATORS[i % len(OPERATORS)], "device": DEVICES[i % len(DEVICES)]})
            for i in range(n)]


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(argv, text=None, clock=time.perf_counter):
    start = clock()
    done = subprocess.run(argv, input=text, capture_output=True, text=True, check=True)
    return clock() - start, done.stdout


def say(what, values, unit, wish):
    print(f"{what:34} {statistics.median(values):12,.1f} {min(values):12,.1f} {max(values):12,.1f} "
          f" {unit:14} {wish}")


def whole_process(epochcast, argv, what, wish):
    values = [1e3 * seconds([epochcast, *argv])[0] for _ in range(RUNS)]
    say(what, values, "ms", wish)


def requests(epochcast, lines, what, wish):
    values = []
    for _ in range(7):
        spent, out = seconds([epochcast, "predict", "--requests", "-"], "\n".join(lines) + "\n",
                             processor_s)
        assert out.count("\n") == len(lines) and '"error"' not in out
        values.append(len(lines) / spent)
    say(what, values, "predictions/s", wish)


def library(build):
    out = seconds([os.path.join(build, "tests/perf/perf-predict-rate")])[1]
    for line in out.splitlines():
        name, *ns = line.split()
        wish = {"networks": "2,000", "operators": "300,000"}.get(name, "")
        unit = "networks/s" if name == "builds" else "predictions/s"
        say(f"library, {name}", [1e9 / float(v) for v in ns], unit, wish)


def main():
    build = sys.argv[1]
    epochcast = os.path.join(build, "epochcast")
    print(f"{'what':34} {'median':>12} {'smallest':>12} {'largest':>12}  {'unit':14} wanted")
    whole_process(epochcast, ["predict", "resnet50", "--device", "a100-sxm4-40gb"],
                  "process, resnet50 on one device", "< 10")
    whole_process(epochcast, ["predict", "resnet50", "--device", "all"],
                  "process, resnet50 on all devices", "")
    whole_process(epochcast, ["--version"], "process that does nothing", "")
    requests(epochcast, network_lines(8), "requests, networks", "2,000")
    requests(epochcast, operator_lines(50000), "requests, operators", "")
    library(build)


if __name__ == "__main__":
    main()
