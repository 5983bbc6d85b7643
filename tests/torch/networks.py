#!/usr/bin/python3
"""Training held to PyTorch in float64: tests/torch/networks.py TORCH_TRAIN [network ...]

A name that ends with .onnx is a network of torchvision that the engine reads from its exported file.

The same weights and batch go through PyTorch in float64, PyTorch in float32, PyTorch in float32 with
images and weights channels-last, and the engine in f32 and bf16, one thread each. Compared are all
gradients of the first step, how far ten steps have moved the weights, and the ten losses, each as the norm
of the difference from float64 over the norm of what float64 has. The engine in f32 may be at most 1.5
times as far away as PyTorch's usual float32 is, or below 1e-6 where rounding of a single sum decides. A
network's distances are geometric means over seeds: ReLU and max-pooling turn rounding into chance.
Exit status 77 (skipped) without PyTorch.
"""
import collections
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import torch
    import torchvision
except ImportError:
    print("skipped: PyTorch and torchvision are not here (python3-torch, python3-torchvision)")
    sys.exit(77)

PERF = pathlib.Path(__file__).resolve().parent.parent / "perf/engine"
sys.argv, ARGV = ["torch_step.py"], sys.argv
sys.path.insert(0, str(PERF))
import torch_step  # noqa: E402

ALLOWED, FLOOR, STEPS, SEEDS = 1.5, 1e-6, 10, 3
# batch, learning rate, side of images where it is not the network's own. Dropout is off on both sides.
NETWORKS = {
    "cifar_cnn:depth=2,base_filters=32": (16, 0.05, 0),
    "mnist_cnn": (16, 0.05, 0),
    "resnet18": (8, 0.0001, 64),
    "mobilenet_v2:dropout=0": (8, 0.0001, 128),
    "encoder": (1, 0.02, 0),
    "lstm": (4, 0.1, 0),
    "swin_t:drop_path=0": (1, 0.001, 0),
    "resnet18.onnx": (8, 0.0001, 64),
    "mobilenet_v3_small.onnx": (8, 0.0001, 128),
}
FILES = tempfile.TemporaryDirectory()


def export(name):
    """The network of torchvision as an ONNX file of its own, as it trains."""
    path = pathlib.Path(FILES.name, name)
    batch, _, side = NETWORKS[name]
    if not path.exists():
        make, _, _ = torch_network(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(start_torch(make, 1, "plain"), torch.randn(batch, 3, side, side), path,
                              training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)
    return str(path)


def source(name):
    if name.endswith(".onnx"):
        return export(name)
    own = PERF / "nets" / f"{name}.json"
    return str(own) if own.exists() else name


def in_our_order(model, wanted):
    """Parameters matched to ours: the k-th of a shape to the k-th of that shape."""
    rank = {"self_attn": 0, "norm1": 1, "linear1": 2, "linear2": 3, "norm2": 4}
    named = list(model.named_parameters())

    def key(i):
        words = named[i][0].split(".")
        place = next((rank[w] for w in words if w in rank), None)
        return (int(words[2]), place, i) if place is not None and words[0] == "layers" else (1 << 20, 0, i)

    order = range(len(named))
    if any(w in named[0][0] for w in rank):
        order = sorted(order, key=key)
    by_shape = collections.defaultdict(list)
    for i in order:
        by_shape[tuple(named[i][1].shape)].append(named[i][1])
    matched = [by_shape[shape].pop(0) for _, shape in wanted]
    assert not any(by_shape.values()), "parameters are left over"
    return matched


def torch_network(name):
    """How to make it, the shape of a sample, classes."""
    plain = name if name in torch_step.NETWORKS else name.split(":")[0].removesuffix(".onnx")
    return torch_step.NETWORKS.get(plain) or (lambda: torch_step.vision(plain), (3, 224, 224), 1000)


def sizes(name):
    batch, _, side = NETWORKS[name]
    return f"{batch}x{side}" if side else str(batch)


def our_shapes(program, name):
    out = subprocess.run([program, "cpu", "f32", source(name), sizes(name), "1", "1"], check=True,
                         capture_output=True, text=True).stdout
    return [(line.split()[0], tuple(int(d) for d in line.split()[1].split("x")))
            for line in out.splitlines()]


def torch_run(model, params, x, y, rate):
    """Gradients of the first step, weights after the last, losses."""
    first, losses = None, []
    for _ in range(STEPS):
        model.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        losses.append(loss.item())
        if first is None:
            first = [p.grad.detach().double().clone() for p in params]
        with torch.no_grad():
            for p in params:
                p -= rate * p.grad
    return first, [p.detach().double().clone() for p in params], losses


def engine_run(program, name, rate, folder, shapes, backend="cpu", precision="f32"):
    out = subprocess.run([program, backend, precision, source(name), sizes(name), str(STEPS), str(rate), folder],
                         check=True, capture_output=True, text=True).stdout

    def read(prefix):
        return [torch.from_file(f"{folder}/{prefix}{i}.bin", shared=False, size=math.prod(shape),
                                dtype=torch.float32).view(shape).double()
                for i, (_, shape) in enumerate(shapes)]
    return read("g"), read("v"), [float(v) for v in out.split()]


def far(got, want, start=None):
    start = start or [torch.zeros_like(w) for w in want]
    off = sum(((g - w) ** 2).sum().item() for g, w in zip(got, want))
    size = sum(((w - s) ** 2).sum().item() for w, s in zip(want, start))
    return math.sqrt(off / size)


def start_torch(make, seed, how):
    """The model of a seed, in the way of `how`: exact, plain or last."""
    torch.manual_seed(seed)
    model = make().train()
    for part in model.modules():
        if isinstance(part, (torch.nn.Dropout, torchvision.ops.StochasticDepth)):
            part.p = 0
    if how == "exact":
        model = model.double()
    if how == "last":
        model = model.to(memory_format=torch.channels_last)
    return model


def contenders(program, name, seed):
    """What each has of a seed: gradients, weights after the last step, losses; and the weights before."""
    batch, rate, side = NETWORKS[name]
    make, shape, classes = torch_network(name)
    shape = (shape[0], side, side) if side else shape
    shapes = our_shapes(program, name)
    params = in_our_order(start_torch(make, seed, "plain"), shapes)
    before = [p.detach().double().clone() for p in params]
    x = torch.randint(10000, (batch, *shape)) if name == "lstm" else torch.randn(batch, *shape)
    y = torch.randint(classes, (batch,))
    runs = {}
    with tempfile.TemporaryDirectory() as folder:
        x.numpy().tofile(f"{folder}/x.bin")
        y.numpy().tofile(f"{folder}/y.bin")
        for i, p in enumerate(params):
            p.detach().contiguous().numpy().tofile(f"{folder}/p{i}.bin")
        for way, precision in (("ours", "f32"), ("bf16", "bf16")):
            runs[way] = engine_run(program, name, rate, folder, shapes, precision=precision)
    images = len(shape) == 3
    for how in ("exact", "plain", "last") if images else ("exact", "plain"):
        model = start_torch(make, seed, how)
        data = x.double() if how == "exact" and x.is_floating_point() else x
        if how == "last":
            data = data.to(memory_format=torch.channels_last)
        runs[how] = torch_run(model, in_our_order(model, shapes), data, y, rate)
    return runs, before


def distances(program, name, seed):
    runs, before = contenders(program, name, seed)
    exact = runs.pop("exact")
    losses = torch.tensor(exact[2], dtype=torch.float64)
    return {how: (far(run[0], exact[0]), far(run[1], exact[1], before),
                  far([torch.tensor(run[2], dtype=torch.float64)], [losses])) for how, run in runs.items()}


def mean(values):
    return math.exp(sum(math.log(max(v, 1e-12)) for v in values) / len(values))


def main():
    torch.set_num_threads(1)
    bad = 0
    print(f"{'network':34} {'of':13} {'torch':>8} {'last':>8} {'ours':>8} {'bf16':>8}  ours/torch")
    for name in ARGV[2:] or NETWORKS:
        seeds = [distances(ARGV[1], name, seed) for seed in range(1, SEEDS + 1)]
        for i, what in enumerate(("gradients", "ten steps", "ten losses")):
            d = {how: mean([one[how][i] for one in seeds]) for how in seeds[0]}
            ok = d["ours"] <= max(ALLOWED * d["plain"], FLOOR)
            bad += not ok
            last = f"{d['last']:8.1e}" if "last" in d else f"{'-':>8}"
            print(f"{name:34} {what:13} {d['plain']:8.1e} {last} {d['ours']:8.1e} {d['bf16']:8.1e}  "
                  f"{d['ours'] / d['plain']:.2f} {'ok' if ok else 'FAILED'}", flush=True)
    return 1 if bad else 0


sys.exit(main())
