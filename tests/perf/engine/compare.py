#!/usr/bin/env python3
"""Time of a training step against PyTorch: tests/perf/engine/compare.py BUILD [options]

All contenders of a network live at the same time and take turns, a few steps each, so that whatever
else the machine does hits all of them: the engine in float32 and bfloat16, PyTorch as it comes, and
PyTorch channels-last with malloc kept from giving memory back. A contender's time is the median of its
steps; a ratio is the median of the ratios within turns. The share of peak is matrix work (padding
counted) over time, against the engine's own product of 2048 x 2048 matrices in the same turns.
"""
import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
TUNED = {"MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
         "MALLOC_TOP_PAD_": str(1 << 26)}
NETWORKS = [("cifar_cnn:depth=2,base_filters=32", 128), ("cifar_cnn:depth=3,base_filters=32", 64),
            ("cifar_cnn:depth=4,base_filters=64", 32), ("mnist_cnn", 32), ("patchcamelyon_cnn", 4),
            ("resnet18", 16), ("resnet50", 8), ("vgg16", 4), ("mobilenet_v2", 8), ("encoder", 16),
            ("lstm", 32)]
PRODUCT_FLOP = 2 * 2048 ** 3


class Contender:
    def __init__(self, argv, env=None):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(env or {})})
        first = self.process.stdout.readline().split()
        if not first:
            sys.exit("compare.py: a contender did not start")
        self.params, self.flop = int(first[0]), float(first[-1])
        self.turns = []

    def turn(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        times = [int(t) for t in self.process.stdout.readline().split()]
        if len(times) != steps:
            sys.exit("compare.py: a contender ended early")
        self.turns.append(statistics.median(times))
        return times

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def has_torch():
    return subprocess.run([PYTHON, "-c", "import torch, torchvision"], capture_output=True).returncode == 0


def net_of(name):
    own = HERE / "nets" / f"{name}.json"
    return str(own) if own.exists() else name


def start(args, name, batch):
    step = str(pathlib.Path(args.build) / "tests/perf/perf-engine-step")
    threads, env = str(args.threads), {"OMP_NUM_THREADS": str(args.threads)}
    ours = [step, "cpu", threads]
    torch = [PYTHON, str(HERE / "torch_step.py"), threads]
    theirs = {**env, "OPENBLAS_NUM_THREADS": threads}
    if args.blas:
        theirs["LD_PRELOAD"] = args.blas
    all_of = {"f32": lambda: Contender([*ours, "f32", net_of(name), str(batch)], env)}
    if args.bf16:
        all_of["bf16"] = lambda: Contender([*ours, "bf16", net_of(name), str(batch)], env)
    if args.torch:
        all_of["default"] = lambda: Contender([*torch, "default", name, str(batch)], theirs)
        all_of["last"] = lambda: Contender([*torch, "last", name, str(batch)], {**theirs, **TUNED})
    all_of["product"] = lambda: Contender([*ours, "f32", net_of("product"), "2048", "--peak"], env)
    return {key: make() for key, make in all_of.items()}


def measure(args, name, batch):
    them = start(args, name, batch)
    if args.torch and them["f32"].params != them["last"].params:
        sys.exit(f"compare.py: {name} has {them['f32'].params} parameters, PyTorch's {them['last'].params}")
    warm = {key: statistics.median(c.turn(2)) for key, c in them.items()}
    for c in them.values():
        c.turns.clear()
    steps = {key: max(1, min(50, int(args.turn_ms * 1e6 / t))) for key, t in warm.items()}
    for _ in range(args.turns):
        for key, c in them.items():
            c.turn(steps[key])
    for c in them.values():
        c.end()
    return them


def ratio(a, b):
    return statistics.median(x / y for x, y in zip(a.turns, b.turns))


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("build")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--turns", type=int, default=9)
    p.add_argument("--turn-ms", type=float, default=300)
    p.add_argument("--only", default="")
    p.add_argument("--blas", default="", help="a libblas.so.3 for PyTorch: Debian's default is slow")
    p.add_argument("--no-torch", dest="torch", action="store_false")
    p.add_argument("--no-bf16", dest="bf16", action="store_false")
    args = p.parse_args()
    if args.torch and not has_torch():
        print("without PyTorch and torchvision (Debian packages python3-torch, python3-torchvision)")
        args.torch = False
    print(f"{'network':34} {'batch':>5} {'f32 ms':>8} {'bf16 ms':>8} {'torch ms':>8} {'last ms':>8} "
          f"{'/torch':>6} {'/last':>6} {'bf16':>5} {'peak':>5}")
    over_default, over_best, over_f32 = [], [], []
    for name, batch in NETWORKS:
        if args.only not in name:
            continue
        them = measure(args, name, batch)
        ms = {k: statistics.median(c.turns) / 1e6 for k, c in them.items()}
        f32 = them["f32"]
        rate = [f32.flop / t * 1e9 for t in f32.turns]
        peak = statistics.median(r / (PRODUCT_FLOP / t * 1e9) for r, t in zip(rate, them["product"].turns))
        cells = [f"{ms.get(k, float('nan')):8.2f}" for k in ("f32", "bf16", "default", "last")]
        ratios = [float("nan")] * 3
        if args.torch:
            ratios[0], ratios[1] = ratio(them["default"], f32), ratio(them["last"], f32)
            over_default.append(ratios[0])
            over_best.append(min(ratios[:2]))
        if args.bf16:
            ratios[2] = ratio(f32, them["bf16"])
            over_f32.append(ratios[2])
        print(f"{name:34} {batch:5}", *cells, f"{ratios[0]:6.2f} {ratios[1]:6.2f} {ratios[2]:5.2f} {peak:5.0%}",
              flush=True)
    print(f"geometric means: over PyTorch as it comes {geometric(over_default):.2f}, over its better "
          f"setting {geometric(over_best):.2f}, bf16 over f32 {geometric(over_f32):.2f}")


main()
