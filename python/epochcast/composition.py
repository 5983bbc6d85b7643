#!/usr/bin/env python3
"""Why isolated layers add up to more than their network, in PyTorch: the table of `epochcast study composition`.

    epochcast study composition mnist_cnn resnet18 --batch 4,16 --layers layers.csv
    python3 composition.py layers.csv --out composition.csv

Reads the kinds of layer that the study wrote, times each in the first five of its ways with PyTorch on the CPU, and
the whole network in between, and writes the same columns. The sixth, among neighbours, is the fifth here: an eager
framework fuses nothing and hands on plain tensors. Freed memory is kept, for layers and networks alike, unless
--malloc default. Layers that PyTorch's collector does not know are told and left out.
"""
import argparse
import csv
import statistics
import sys

import collect
import collect_cases as cases
import collect_networks as networks
import collect_timing as timing
import torch

WAYS = ("justus", "isolated", "no_loss", "needed", "marginal")
COPIES = 3
WHOLE_EVERY = 4
LEARNING_RATE = 1e-6


def optimizer_of(tensors):
    return torch.optim.SGD(tensors, lr=LEARNING_RATE) if tensors else None


class Copy:
    """One layer with inputs of its own."""

    def __init__(self, text, input_grad):
        self.case = cases.build(text)
        self.inputs = [x.clone() for x in self.case.inputs]
        for x in self.inputs:
            x.requires_grad_(input_grad and x.is_floating_point())
        self.wrt = [x for x in self.inputs if x.requires_grad]
        self.params = self.case.params()

    def forward(self):
        return self.case.call(*self.inputs)


def step_of(text, way, needed, n):
    """A training step of n copies, timed in one of the ways."""
    copies = [Copy(text, needed if way in ("needed", "marginal") else True) for _ in range(n)]
    like = [torch.rand_like(c.forward().detach()) for c in copies]
    trained = [p for c in copies for p in c.params]
    if way == "justus":
        for t in like:
            t.requires_grad_()
        trained += like + [x for c in copies for x in c.wrt]
    optimizer = optimizer_of(trained)
    everything = [t for c in copies for t in c.params + c.wrt] + (like if way == "justus" else [])
    backward = bool(everything)

    def step():
        for t in everything:
            t.grad = None
        ys = [c.forward() for c in copies]
        if not backward:
            return
        if way in ("justus", "isolated"):
            torch.nn.functional.mse_loss(ys[0], like[0]).backward()
        else:
            torch.autograd.backward(ys, like)
        if optimizer:
            optimizer.step()
    return step


def whole_step(network, batch):
    net = networks.build(network)
    module = net.module.train()
    x, target = net.make_batch(batch)
    optimizer = optimizer_of(list(module.parameters()))

    def step():
        optimizer.zero_grad(set_to_none=True)
        net.loss(module(x), target).backward()
        optimizer.step()
    return step


def layer_ns(clock, row, budget_s):
    """Medians of the five ways, in nanoseconds."""
    needed = row["needs_input_gradient"] == "yes"
    result = {}
    for way in WAYS[:-1]:
        m = timing.measure(clock, step_of(row["case"], way, needed, 1), budget_s)
        result[way] = statistics.median(m.times())
    m = timing.measure_difference(clock, step_of(row["case"], "marginal", needed, 1),
                                  step_of(row["case"], "marginal", needed, COPIES), COPIES - 1, budget_s)
    result["marginal"] = statistics.median(m.times())
    return result


def compose(clock, network, batch, rows, budget_s):
    whole, times = whole_step(network, batch), []
    sums, left_out, n = dict.fromkeys(WAYS, 0.0), 0, 0
    for i, row in enumerate(rows):
        if i % WHOLE_EVERY == 0:
            times += timing.measure(clock, whole, budget_s).times()
        count = int(row["count"])
        try:
            ns = layer_ns(clock, row, budget_s)
        except cases.Unsupported as error:
            print(f"left out: {error}", file=sys.stderr)
            left_out += count
            continue
        n += count
        for way in WAYS:
            sums[way] += ns[way] * count
        print(f"\r{network} batch {batch}: {i + 1} of {len(rows)} kinds of layer", end="", file=sys.stderr)
    print(file=sys.stderr)
    times += timing.measure(clock, whole, budget_s).times()
    whole_ns = statistics.median(times)
    return {"network": network, "batch": batch, "whole_ns": round(whole_ns), "layers": n, "left_out": left_out,
            **{f"{way}_ratio": f"{sums[way] / whole_ns:.4f}" for way in WAYS}}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("layers", help="written by epochcast study composition --layers")
    p.add_argument("--out", default="-", help="where the table goes; - is standard output")
    p.add_argument("--budget", type=float, default=0.5, help="seconds for one time of one layer")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--clock", choices=("wall", "thread"), default="wall", help="thread: what the one thread takes of a "
                   "processor")
    p.add_argument("--malloc", choices=("keep", "default"), default="keep", help="what becomes of freed memory")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    if args.malloc == "keep" and not collect.keep_memory():
        sys.exit("composition.py: this C library cannot keep freed memory: --malloc default")
    with open(args.layers, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    clock, table = timing.ThreadClock() if args.clock == "thread" else timing.HostClock(), []
    for network, batch in dict.fromkeys((r["network"], int(r["batch"])) for r in rows):
        mine = [r for r in rows if r["network"] == network and int(r["batch"]) == batch]
        table.append(compose(clock, network, batch, mine, args.budget))
    columns = ["network", "batch", "whole_ns"] + [f"{way}_ratio" for way in WAYS] + ["layers", "left_out"]
    out = sys.stdout if args.out == "-" else open(args.out, "w", newline="", encoding="utf-8")
    with out:
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        writer.writerows(table)


main()
