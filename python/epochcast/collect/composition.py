"""Why isolated layers add up to more than their network, in PyTorch: the table of `epochcast study composition`.

    epochcast study composition mnist_cnn resnet18 --batch 4,16 --layers layers.csv
    python3 -m epochcast.collect.composition layers.csv --out composition.csv

Reads the kinds of layer that the study wrote, times each in the first five of its ways with PyTorch on the CPU, and
the whole network in between, and writes the same columns. The sixth, among neighbours, is what a further copy of a
call takes beside it in the network: it is given what the call is given, and is timed there. It needs a network that
torch.fx can trace, and counts the loss as a call. All is timed in
turns, and the ratios are medians over the turns, so that a machine that changes changes sums and wholes alike. Freed
memory is kept, for layers and networks alike, unless --malloc default. Layers that PyTorch's collector does not know
are told and left out.
"""
import argparse
import copy
import csv
import statistics
import sys
import time

import torch
from torch import fx

from . import cases, main as collect, networks, timing

WAYS = ("justus", "isolated", "no_loss", "needed", "marginal", "company")
COPIES = 3
WHOLE_EVERY = 4
TURNS = 5
GROUPS_MIN, GROUPS_S = 3, 1.0  # steps that the copies of a network are spread over, and seconds that they may take
CONSTANT_RUNS = 200
LEARNING_RATE = 1e-6


def optimizer_of(tensors):
    return torch.optim.SGD(tensors, lr=LEARNING_RATE) if tensors else None


# ----------------------------------------------------------------------------------------------
# Lone layers

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


# ----------------------------------------------------------------------------------------------
# Calls of a network and further copies beside them

class Tap(torch.autograd.Function):
    """Tells the gradient that passes."""

    @staticmethod
    def forward(ctx, x, tell):
        ctx.tell = tell
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        ctx.tell(grad)
        return grad, None


class Call:
    """A call of the network: a further copy of it, with weights of its own, and the times of the copy."""

    def __init__(self, fn, module, parts):
        self.fn = copy.deepcopy(module) if module else fn
        self.weights = {id(x): torch.nn.Parameter(x.detach().clone(), x.requires_grad) for x in tensors_of(parts)
                        if isinstance(x, torch.nn.Parameter)}
        trained = list(self.weights.values()) + (list(self.fn.parameters()) if module else [])
        self.trained = [w for w in trained if w.requires_grad]
        self.in_place, self.ns = False, []

    def given(self, x):
        """What a neighbour has just written: itself, unless the call overwrites it."""
        if not isinstance(x, torch.Tensor) or id(x) in self.weights:
            return self.weights.get(id(x), x)
        mine = x.detach().requires_grad_(x.requires_grad)
        return mine.clone() if self.in_place else mine


def tensors_of(parts):
    found = []
    fx.node.map_aggregate(parts, lambda x: found.append(x) if isinstance(x, torch.Tensor) else None)
    return found


class Beside(fx.Interpreter):
    """Runs a network; a further copy of some of its calls runs beside them and is timed: before the call, and before
    the call's way back. All copies are updated at the end."""

    def __init__(self, module, now_ns):
        super().__init__(fx.symbolic_trace(module))
        self.now_ns, self.calls, self.timed_calls, self.update_ns = now_ns, [], [], []
        self.at, self.group, self.n_groups, self.optimizer = 0, 1, 1, None  # without copies
        self.back_ns = back_without_work(now_ns)

    def step(self, x, target, loss):
        """Forward, backward and update, with copies of every n_groups-th call, beginning with the group-th."""
        self.at, self.timed_calls = 0, []
        for p in self.module.parameters():
            p.grad = None
        y = self.beside(loss, None, (self.run(x), target), {})
        self.env.clear()
        y.backward()
        for call, times in self.timed_calls:
            call.ns.append(sum(times))
        if self.optimizer is None:
            self.optimizer = optimizer_of([w for call in self.calls for w in call.trained])
        if self.optimizer:
            self.update_ns.append(timed(self.now_ns, self.optimizer.step)[1])

    def beside(self, fn, module, args, kwargs):
        if self.at == len(self.calls):
            self.calls.append(Call(fn, module, (args, kwargs)))
        call, chosen = self.calls[self.at], self.at % self.n_groups == self.group
        self.at += 1
        if not chosen:
            y = (module or fn)(*args, **kwargs)
            call.in_place = any(x is y for x in tensors_of((args, kwargs)))
            return y
        for w in call.trained:
            w.grad = None
        mine, more = fx.node.map_aggregate((args, kwargs), call.given)
        copied, forward_ns = timed(self.now_ns, call.fn, *mine, **more)
        times, copies = [forward_ns], [copied]
        del mine, more, copied
        self.timed_calls.append((call, times))
        y = (module or fn)(*args, **kwargs)
        if not isinstance(y, torch.Tensor) or not y.requires_grad:
            return y

        def back(grad):
            enter_backward()
            times.append(timed(self.now_ns, torch.autograd.backward, copies, grad)[1] - self.back_ns)
            copies.clear()
        if call.in_place:  # its hook would be that of what it overwrites
            return Tap.apply(y, back)
        y.register_hook(back)
        return y

    def call_module(self, target, args, kwargs):
        return self.beside(None, self.fetch_attr(target), args, kwargs)

    def call_function(self, target, args, kwargs):
        return self.beside(target, None, args, kwargs)

    def call_method(self, target, args, kwargs):
        return self.beside(getattr(type(args[0]), target), None, args, kwargs)


def timed(now_ns, fn, *args, **kwargs):
    start = now_ns()
    y = fn(*args, **kwargs)
    return y, now_ns() - start


def without_work():
    """What a way back can enter and be back at once."""
    with torch.enable_grad():
        return torch.zeros(1, requires_grad=True).clone()


def enter_backward():
    """What entering it takes, the calls of a network do not: the first time is the longest."""
    torch.autograd.backward([without_work()], [torch.ones(1)])


def back_without_work(now_ns):
    """Nanoseconds of entering backward within backward for a second time."""
    ns = []

    def back(_grad):
        enter_backward()
        ns.append(timed(now_ns, torch.autograd.backward, [without_work()], torch.ones(1))[1])
    for _ in range(CONSTANT_RUNS):
        Tap.apply(torch.zeros(1, requires_grad=True), back).backward()
    return statistics.median(ns)


# ----------------------------------------------------------------------------------------------
# Times

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


class Stopwatch:
    """Times of steps, each warmed by calls that do not count."""

    def __init__(self, clock, budget_s):
        self.clock, self.budget_s = clock, budget_s
        thread = time.CLOCK_THREAD_CPUTIME_ID
        self.now_ns = time.perf_counter_ns if isinstance(clock, timing.HostClock) else \
            lambda: time.clock_gettime_ns(thread)

    def sample(self, fn, calls):
        host_ns, own_ns = self.clock.sample(fn, calls)
        return host_ns if own_ns is None else own_ns

    def samples(self, few, many=None):
        """Nanoseconds of steps, or of what a further copy adds, for a budget; one at least."""
        calls = timing.calls_for(self.clock, self.sample(many or few, 1))
        if calls > 1:
            calls = timing.calls_for(self.clock, self.sample(many or few, calls))
        end, ns = time.monotonic() + self.budget_s, []
        while not ns or time.monotonic() < end:
            one = self.sample(few, calls)
            ns.append((self.sample(many, calls) - one) / (COPIES - 1) if many else one)
        return ns


def layer_ns(watch, row):
    """Medians of the ways of lone layers."""
    needed, result = row["needs_input_gradient"] == "yes", {}
    for way in WAYS[:-2]:
        result[way] = statistics.median(watch.samples(step_of(row["case"], way, needed, 1)))
    result["marginal"] = statistics.median(watch.samples(step_of(row["case"], "marginal", needed, 1),
                                                         step_of(row["case"], "marginal", needed, COPIES)))
    return result


class Company:
    """A network with further copies of its calls beside them."""

    def __init__(self, network, batch, watch):
        net = networks.build(network)
        self.x, self.target = net.make_batch(batch)
        self.loss, self.watch = net.loss, watch
        self.runner = Beside(net.module.train(), watch.now_ns)
        self.step()  # finds the calls
        start = time.monotonic()
        self.step()
        n_groups = max(GROUPS_MIN, int(GROUPS_S / (time.monotonic() - start)))
        self.runner.n_groups = min(n_groups, len(self.runner.calls))

    def step(self):
        self.runner.step(self.x, self.target, self.loss)

    def group(self, i):
        """Nanoseconds of the copies of one group, and of the update of all copies."""
        self.runner.group, end = i, time.monotonic() + self.watch.budget_s
        self.runner.update_ns = []
        for call in self.runner.calls:
            call.ns = []
        self.step()
        while time.monotonic() < end:
            self.step()
        return sum(statistics.median(call.ns) for call in self.runner.calls if call.ns), \
            statistics.median(self.runner.update_ns or [0])

    def turn(self, whole):
        """All copies, the loss among them, and their update over the whole, each group over the whole steps before
        and after it; and those steps."""
        whole_ns, parts, updates = self.watch.samples(whole), [], []
        before_ns = statistics.median(whole_ns)
        for i in range(self.runner.n_groups):
            ns, update_ns = self.group(i)
            after = self.watch.samples(whole)
            between_ns, before_ns = (before_ns + statistics.median(after)) / 2, statistics.median(after)
            parts.append(ns / between_ns)
            updates.append(update_ns / between_ns)
            whole_ns += after
        return sum(parts) + statistics.median(updates), whole_ns


def company_of(network, batch, watch):
    """None where the network cannot be traced."""
    try:
        return Company(network, batch, watch)
    except (fx.proxy.TraceError, TypeError, RuntimeError) as error:
        print(f"{network}: no copies among neighbours: {error}", file=sys.stderr)
        return None


def turn(watch, whole, layers, company):
    """Sums by way over the median of the wholes in between, and that median."""
    sums, whole_ns = {}, watch.samples(whole)
    for i, row in enumerate(layers):
        for way, ns in layer_ns(watch, row).items():
            sums[way] = sums.get(way, 0) + int(row["count"]) * ns
        if i % WHOLE_EVERY == WHOLE_EVERY - 1 or i == len(layers) - 1:
            whole_ns += watch.samples(whole)
    lone_ns = statistics.median(whole_ns)
    ratios = {way: ns / lone_ns for way, ns in sums.items()}
    if company:
        ratios["company"], between_ns = company.turn(whole)
        whole_ns += between_ns
    return ratios, statistics.median(whole_ns)


def known_layers(rows):
    """Those that the collector can build."""
    known = []
    for row in rows:
        try:
            cases.build(row["case"])
            known.append(row)
        except cases.Unsupported as error:
            print(f"left out: {error}", file=sys.stderr)
    return known


def compose(clock, network, batch, rows, args):
    layers = known_layers(rows)
    watch = Stopwatch(clock, args.budget / args.turns)
    whole, company, turns = whole_step(network, batch), company_of(network, batch, watch), []
    for i in range(args.turns):
        turns.append(turn(watch, whole, [] if args.only_company else layers, company))
        print(f"{network} batch {batch}: {i + 1} of {args.turns} turns, whole {turns[-1][1] / 1e6:.2f} ms, "
              f"company {turns[-1][0].get('company', 0):.3f}", file=sys.stderr)
    ratios = {way: statistics.median(t[0][way] for t in turns) for way in WAYS if way in turns[0][0]}
    n, left_out = (sum(int(row["count"]) for row in some) for some in (layers, [r for r in rows if r not in layers]))
    return {"network": network, "batch": batch, "whole_ns": round(statistics.median(t[1] for t in turns)), "layers": n,
            "left_out": left_out, **{f"{way}_ratio": f"{ratio:.4f}" for way, ratio in ratios.items()}}


def main():
    p = argparse.ArgumentParser(prog="collect.composition", description=__doc__.splitlines()[0])
    p.add_argument("layers", help="written by epochcast study composition --layers")
    p.add_argument("--out", default="-", help="where the table goes; - is standard output")
    p.add_argument("--budget", type=float, default=0.5, help="seconds for one time of one layer, of all turns")
    p.add_argument("--turns", type=int, default=TURNS, help="in which everything is timed")
    p.add_argument("--only-company", action="store_true", help="the sixth way alone")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--clock", choices=("wall", "thread"), default="wall", help="thread: what the one thread takes of a "
                   "processor")
    p.add_argument("--malloc", choices=("keep", "default"), default="keep", help="what becomes of freed memory")
    args = p.parse_args()
    if args.turns < 1:
        sys.exit("collect.composition: --turns is one at least")
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    if args.malloc == "keep" and not collect.keep_memory():
        sys.exit("collect.composition: this C library cannot keep freed memory: --malloc default")
    with open(args.layers, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    clock, table = timing.ThreadClock() if args.clock == "thread" else timing.HostClock(), []
    for network, batch in dict.fromkeys((r["network"], int(r["batch"])) for r in rows):
        mine = [r for r in rows if r["network"] == network and int(r["batch"]) == batch]
        table.append(compose(clock, network, batch, mine, args))
    columns = ["network", "batch", "whole_ns"] + [f"{way}_ratio" for way in WAYS] + ["layers", "left_out"]
    out = sys.stdout if args.out == "-" else open(args.out, "w", newline="", encoding="utf-8")
    with out:
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main()
