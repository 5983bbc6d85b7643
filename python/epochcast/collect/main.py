"""Measures operators, networks, ceilings and grids of configurations with PyTorch, and writes docs/measurement-format.md.

    epochcast op sample --count 300 > cases.txt
    python3 -m epochcast.collect layers --cases cases.txt --out layers.csv
    python3 -m epochcast.collect networks --networks resnet18,mnist_cnn --batch 8,32 --out networks.csv
    python3 -m epochcast.collect ceilings --out ceilings.csv
    python3 -m epochcast.collect networks --networks resnet18 --data imagefolder:DIR --per-iteration iterations.csv --out fed.csv
    python3 -m epochcast.collect grid --out configs_cifar_cnn_cpu.csv
    torchrun --nproc_per_node 2 -m epochcast.collect networks --networks resnet18 --batch 32 --out ddp.csv

Needs Python 3.8 or later and PyTorch 1.13 or later, nothing else; torchvision's networks where it is there, and JPEG
files with Pillow. Under torchrun the processes train each network together, each on its own batch, by
DistributedDataParallel; the rows have the batch of one process. A run that was cut short, by kill -9 too, is taken up
by the same command with --resume. Exit status: 0 done, 1 failed, 2 wrong usage, 3 time budget used up, 4 the device
broke (run again with --resume).
"""
import contextlib
import ctypes
import datetime
import gc
import hashlib
import itertools
import os
import re
import resource
import sys
import time
import warnings

from . import options

try:
    import torch
except ImportError:
    options.make_parser(__doc__).parse_args()  # prints help, or what is wrong with the words
    sys.exit("collect: PyTorch is not installed for this Python: install torch 1.13 or later")

from . import cases, data, grid, networks, table, timing

TOOL, TOOL_VERSION = "collect.py", "0.1.0"  # its name in tables, since it was one file
LEARNING_RATE = 1e-6  # training is not the point: weights must stay ordinary numbers
MARGINAL_COPIES = 4
GROUP_TIMEOUT = datetime.timedelta(minutes=10)  # after which a process no longer waits for one that failed
INTERRUPTED = 130  # exit status, as shells tell it of Ctrl-C
MEMORY_SHARE = 0.8  # of what a CPU has free; more is reported as out of memory instead of being killed


class DeviceBroken(Exception):
    """The device answers nothing any more; the process must start anew."""


# ----------------------------------------------------------------------------------------------
# Conditions of a job

AUTOCAST = {"amp": torch.float16, "amp-bf16": torch.bfloat16}


def autocast(device, precision):
    if precision not in AUTOCAST:
        return contextlib.nullcontext()
    return torch.autocast(device, dtype=AUTOCAST[precision])


def set_precision(device, precision):
    if device == "cpu" and precision == "tf32":
        raise cases.Unsupported("a CPU has no TF32")
    if precision in AUTOCAST:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            works = getattr(autocast(device, precision), "_enabled", True)
        if not works:  # PyTorch only warns, and goes on in float32
            raise cases.Unsupported(f"this PyTorch has no autocast to {AUTOCAST[precision]} on {device}")
    if device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        torch.backends.cudnn.allow_tf32 = precision == "tf32"


def weights_dtype(precision):
    return {"fp16": torch.float16, "bf16": torch.bfloat16}.get(precision, torch.float32)


def made_on(device):
    """Where new tensors and weights are made; before PyTorch 2 on the host, and moved."""
    return torch.device(device) if hasattr(torch.device, "__enter__") else contextlib.nullcontext()


def placed(x, ctx, job):
    """A tensor where and how the job wants it."""
    x = x.to(ctx.device)
    if x.is_floating_point():
        x = x.to(weights_dtype(job["precision"]))
    if job["layout"] == "channels-last" and x.dim() == 4:
        x = x.contiguous(memory_format=torch.channels_last)
    return x


def input_precision(precision):
    """What operators are given: under autocast halves, as their neighbours in a network hand them on."""
    return {torch.float16: "fp16", torch.bfloat16: "bf16"}.get(input_dtype(precision), "fp32")


def input_dtype(precision):
    return AUTOCAST.get(precision, weights_dtype(precision))


def placed_module(module, ctx, job):
    module = module.to(ctx.device)
    module = module.to(weights_dtype(job["precision"]))
    return module.to(memory_format=torch.channels_last) if job["layout"] == "channels-last" else module


def compiled(fn, job):
    if job["execution"] != "compiled":
        return fn
    if not hasattr(torch, "compile"):
        raise cases.Unsupported("this PyTorch has no torch.compile")
    return torch.compile(fn, dynamic=False)


def outcome_of(error):
    """(outcome, sentence) of what a job raised."""
    text = f"{type(error).__name__}: {error}".split("\n")[0][:200]
    low = str(error).lower()
    if "out of memory" in low or "allocate memory" in low or isinstance(error, MemoryError):
        return "out_of_memory", text
    if isinstance(error, (cases.Unsupported, LookupError)):
        return "unsupported", str(error).strip("'\"")
    if isinstance(error, NotImplementedError) or re.search(r"not (implemented|support)|unsupported", low):
        return "unsupported", text
    if "cuda error" in low or "cudnn_status_execution_failed" in low or "device-side" in low:
        raise DeviceBroken(text) from error
    return "error", text


# ----------------------------------------------------------------------------------------------
# Operators

def with_activation(call, name):
    if not name:
        return call
    act = cases.activation(name)
    return lambda *inputs: act(call(*inputs))


class Layer:
    """A case on the device, with a graph to take gradients from."""

    def __init__(self, ctx, job):
        with made_on(ctx.device):
            case = cases.build(job["what"])
        self.ctx, self.job = ctx, job
        self.module = placed_module(case.module, ctx, job) if case.module else None
        self.call = compiled(with_activation(case.call, job.get("activation")), job)
        wants_grad = cases.has_input_grad(job["what"])
        self.inputs = [placed(x, ctx, job) for x in case.inputs]
        self.inputs = [x.to(input_dtype(job["precision"])) if x.is_floating_point() else x for x in self.inputs]
        for x in self.inputs:
            x.requires_grad_(wants_grad and x.is_floating_point())
        self.float_inputs = [x for x in self.inputs if x.requires_grad]
        self.params = case.params()
        self.y = self.upstream = None

    def forward(self):
        with autocast(self.ctx.device, self.job["precision"]):
            return self.call(*self.inputs)

    def graph(self):
        if self.y is None:
            self.y = self.forward()
            self.upstream = torch.rand_like(self.y)
        return self.y

    def grad_of(self, tensors):
        y = self.graph()
        return lambda: torch.autograd.grad(y, tensors, self.upstream, retain_graph=True)

    def forward_backward(self):
        y = self.forward()
        if self.upstream is None:
            self.upstream = torch.rand_like(y)
        return torch.autograd.grad(y, self.float_inputs + self.params, self.upstream)

    def update(self, optimizer):
        for p in self.params:
            p.grad = torch.full_like(p, 1e-3)
        return optimizer_of(optimizer, self.params).step


def optimizer_of(name, params, lr=LEARNING_RATE):
    kind, more = options.OPTIMIZERS[name]
    return getattr(torch.optim, kind)(params, lr=lr, **more) if params else None


def separated_fn(ctx, job, state):
    layer = state.get("layer")
    if layer is None:
        layer = state["layer"] = Layer(ctx, job)
    phase = job["phase"]
    if phase == "forward":
        return layer.forward
    if phase == "forward_backward":
        return layer.forward_backward
    if phase == "update":
        return layer.update(job["optimizer"])
    return layer.grad_of(layer.float_inputs if phase == "grad_data" else layer.params)


def lone_step_fn(ctx, job, _state):
    """A training step of one operator: as people time layers, and as Justus et al. did."""
    layer = Layer(ctx, job)
    justus = job["method"] == "justus"
    trained = list(layer.params)
    target = None
    if justus:
        target = torch.rand_like(layer.forward().detach()).requires_grad_()
        trained += layer.float_inputs + [target]
    optimizer = optimizer_of(job["optimizer"], trained)

    def step():
        for tensor in layer.params + layer.float_inputs:
            tensor.grad = None
        y = layer.forward()
        if justus:
            target.grad = None
            torch.nn.functional.mse_loss(y, target).backward()
        else:
            y.sum().backward()
        if optimizer:
            optimizer.step()
    return step


def marginal_fns(ctx, job):
    """The same work for one copy and for several, in one graph each."""
    copies = [Layer(ctx, job) for _ in range(MARGINAL_COPIES)]
    upstream = [torch.rand_like(c.forward().detach()) for c in copies]
    wrt = [c.float_inputs + c.params for c in copies]
    optimizers = [optimizer_of(job["optimizer"], c.params) for c in copies] if job["phase"] == "step" else None

    def run(n):
        ys = [c.forward() for c in copies[:n]]
        if job["phase"] == "forward":
            return
        tensors = [t for part in wrt[:n] for t in part]
        grads = torch.autograd.grad(ys, tensors, upstream[:n])
        if optimizers:
            for t, g in zip(tensors, grads):
                t.grad = g
            for optimizer in optimizers[:n]:
                optimizer.step()
    return (lambda: run(1)), (lambda: run(MARGINAL_COPIES))


def layer_phases(text, method, execution):
    params, input_grad = cases.has_params(text), cases.has_input_grad(text)
    if method in options.LONE:
        return ["step"] if params or input_grad else []
    if method == "marginal":
        return ["forward"] + ["forward_backward"] * (params or input_grad) + ["step"] * params
    if execution == "compiled":
        return ["forward"] + ["forward_backward"] * (params or input_grad)
    return ["forward"] + ["grad_data"] * input_grad + ["grad_weight"] * params + ["update"] * params


def drawn(seed, text, choices):
    """One of the choices, by the case and the seed alone."""
    digest = hashlib.sha256(f"{seed}:{text}".encode()).hexdigest()
    return choices[int(digest[:8], 16) % len(choices)]


def layer_jobs(args):
    source = sys.stdin if args.cases == "-" else open(args.cases, encoding="utf-8")
    with source:
        texts = [line.strip() for line in source]
    texts = list(dict.fromkeys(line for line in texts if line and not line.startswith("#")))
    jobs = []
    for text in texts:
        conditions = [c for c in itertools.product(args.method, args.precision, args.layout, args.execution,
                                                   args.activation)
                      if (c[2] == "channels-first" or cases.is_image(text)) and
                      (c[0] in options.LONE or c[4] == args.activation[0])]
        if args.conditions == "draw":
            conditions = [drawn(args.seed, text, conditions)] if conditions else []
        optimizer = drawn(args.seed, "optimizer " + text, args.optimizer)
        for method, precision, layout, execution, activation in conditions:
            behind = activation if method in options.LONE and activation != "none" else ""
            rows = [{"kind": "operator", "what": text, "family": text.split()[0], "phase": phase, "method": method,
                     "precision": precision, "inputs": input_precision(precision), "layout": layout,
                     "execution": execution, "optimizer": optimizer if phase in ("update", "step") else "none",
                     "activation": behind}
                    for phase in layer_phases(text, method, execution)]
            jobs.append(rows)
    return jobs


# Operators of several products: gradients of their weights take those of what lies between with them.
INSEPARABLE = ("rnn", "lstm", "gru", "multi_head_attention")


def measure_layer(ctx, row, state):
    if row["method"] == "marginal":
        few, many = marginal_fns(ctx, row)
        return timing.measure_difference(ctx.clock, few, many, MARGINAL_COPIES - 1, ctx.budget)
    make = separated_fn if row["method"] == "separated" else lone_step_fn
    m = timing.measure(ctx.clock, make(ctx, row, state), ctx.budget)
    if row["phase"] == "grad_weight" and row["family"] in INSEPARABLE:
        m.flags.append("inseparable")
    if row["family"] == "rms_norm" and row["precision"] in AUTOCAST:  # half inputs, float32 weights: no one kernel
        m.flags.append("composed")
    return m


# ----------------------------------------------------------------------------------------------
# Networks

def grad_scaler(enabled):
    new = getattr(torch.amp, "GradScaler", None)  # from PyTorch 2.3
    return new("cuda", enabled=enabled) if new else torch.cuda.amp.GradScaler(enabled=enabled)


class Training:
    """A network, a batch, a loss and an optimizer on the device."""

    def __init__(self, ctx, row):
        with made_on(ctx.device):
            net = networks.build(row["what"], row["image_px"] or row["seq_len"] or 0)
        self.ctx, self.row = ctx, row
        self.module = placed_module(net.module, ctx, row).train()
        self.call = compiled(ctx.group.together(self.module), row)
        self.feed = feed_of(ctx.args, net.shape, row)
        self.host_batch = self.feed.next() if self.feed else net.make_batch(row["batch"])
        self.x, self.target = (placed(t, ctx, row) for t in self.host_batch)
        self.loss_fn = net.loss
        self.params = [p for p in self.module.parameters() if p.requires_grad]
        self.optimizer = optimizer_of(row["job_optimizer"], self.params)
        self.scaler = grad_scaler(ctx.device == "cuda" and row["precision"] == "amp")

    def forward(self):
        with autocast(self.ctx.device, self.row["precision"]):
            return self.call(self.x)

    def loss(self):
        with autocast(self.ctx.device, self.row["precision"]):
            return self.loss_fn(self.call(self.x), self.target)

    def forward_backward(self):
        for p in self.params:
            p.grad = None
        self.scaler.scale(self.loss()).backward()

    def fed_step(self):
        self.x, self.target = (placed(t, self.ctx, self.row) for t in self.feed.next())
        self.step()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(self.loss()).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def update_fn(self):
        for p in self.params:
            p.grad = torch.full_like(p, 1e-3)
        return self.optimizer.step

    def loss_only_fn(self):
        with torch.no_grad():
            y = self.forward()
        y = tuple(part.detach().requires_grad_() for part in y) if isinstance(y, tuple) \
            else y.detach().requires_grad_()
        wrt = list(y) if isinstance(y, tuple) else [y]

        def run():
            with autocast(self.ctx.device, self.row["precision"]):
                loss = self.loss_fn(y, self.target)
            torch.autograd.grad(loss, wrt)
        return run

    def copy_fn(self):
        return lambda: [t.to(self.ctx.device) for t in self.host_batch]

    def fn(self, phase):
        return {"step": lambda: self.fed_step if self.feed else self.step,
                "forward_backward": lambda: self.forward_backward, "forward": lambda: self.forward,
                "update": self.update_fn, "loss": self.loss_only_fn, "host_to_device": self.copy_fn}[phase]()


def feed_of(args, shape, row):
    if not args.data:
        return None
    if not shape:
        raise cases.Unsupported(f"network {row['what']} takes no images: --data is for networks of images")
    return data.Feed(data.open_network(args.data, shape, args.workers), shape, row["batch"])


def measure_network(ctx, row, state):
    if "training" not in state:
        state["training"] = Training(ctx, row)
    training = state["training"]
    training.row = row
    m = timing.measure(ctx.clock, training.fn(row["phase"]), ctx.budget)
    if training.feed:
        m.flags.append("data_loading")
    if ctx.iterations and m.ended_s:
        wait_ns = training.feed.wait_ns[-len(m.ended_s):] if training.feed else []
        whole = dict(ctx.row(row), n_warm_up=m.n_warm_up, flags=" ".join(m.flags))
        ctx.iterations.add_run(whole, m, wait_ns, ctx.args.clock == "thread")
    if ctx.args.trace and row["phase"] == "step" and ctx.group.first():
        trace_steps(ctx.args.trace, row, training.fn("step"))
    return m


def trace_steps(folder, row, step):
    """A profile of four more steps behind the measured ones, which it cannot slow: a file for epochcast trace."""
    words = [row["what"], row["batch"], row["precision"], row["layout"], row["optimizer"], row["execution"]]
    name = re.sub(r"[^A-Za-z0-9.=-]+", "_", "-".join(str(word) for word in words if word))
    plan = torch.profiler.schedule(wait=0, warmup=1, active=4)
    with torch.profiler.profile(record_shapes=True, schedule=plan) as profile:
        for _ in range(5):
            step()
            profile.step()
    os.makedirs(folder, exist_ok=True)
    profile.export_chrome_trace(os.path.join(folder, name + ".json.gz"))


def read_network_jobs(args):
    """(network, batch, image or sequence, precision, layout, optimizer, execution) of each job."""
    if args.jobs:
        source = sys.stdin if args.jobs == "-" else open(args.jobs, encoding="utf-8")
        with source:
            for line in source:
                words = line.split()
                if not words or words[0].startswith("#"):
                    continue
                o = dict(word.split("=", 1) for word in words[1:])
                yield (words[0], int(o.get("batch", 1)), int(o.get("size", 0)), o.get("precision", "fp32"),
                       o.get("layout", "channels-first"), o.get("optimizer", "sgd"), o.get("execution", "eager"))
        return
    for job in itertools.product(args.networks, args.batch, args.size, args.precision, args.layout, args.optimizer,
                                 args.execution):
        yield job


def network_jobs(args):
    phases = ["step", "forward_backward", "forward", "loss", "update"]
    phases += ["host_to_device"] if args.device == "cuda" else []
    phases = ["step"] if args.n_devices > 1 or args.per_iteration or args.data else \
        [p for p in phases if p in args.phases] if args.phases else phases
    jobs = []
    for name, batch, size, precision, layout, optimizer, execution in read_network_jobs(args):
        if layout == "channels-last" and networks.is_language(name):
            continue
        image, tokens = networks.sizes(name, size)
        jobs.append([{"kind": "network", "what": name, "family": name.split(":")[0], "phase": phase,
                      "method": "fed" if args.data else "whole", "batch": batch, "image_px": image or "",
                      "seq_len": tokens or "", "precision": precision, "layout": layout,
                      "execution": execution, "optimizer": optimizer if phase in ("step", "update") else "none",
                      "job_optimizer": optimizer} for phase in phases])
    return jobs


# ----------------------------------------------------------------------------------------------
# Ceilings

def gemm_fn(ctx, row):
    n = int(re.search(r"m=(\d+)", row["what"]).group(1))
    a, b = (placed(torch.randn(n, n, device=ctx.device), ctx, row) for _ in range(2))
    out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out)


def copy_fn(ctx, row):
    n = int(re.search(r"bytes=(\d+)", row["what"]).group(1))
    kind = row["family"]
    source = torch.ones(n // 4, device="cpu" if kind == "host_to_device" else ctx.device)
    target = torch.empty_like(source, device=ctx.device)
    if kind == "host_to_device" and "pinned=1" in row["what"]:
        source = source.pin_memory()
    return lambda: target.copy_(source)


def launch_fn(ctx, _row):
    x = torch.ones(1, device=ctx.device)
    return lambda: x.add_(1.0)


def all_reduce_fn(ctx, row):
    n = int(re.search(r"bytes=(\d+)", row["what"]).group(1))
    x = torch.ones(n // 4, device=ctx.device)
    return lambda: torch.distributed.all_reduce(x)


CEILINGS = {"gemm": gemm_fn, "copy": copy_fn, "host_to_device": copy_fn, "launch": launch_fn,
            "all_reduce": all_reduce_fn}


def measure_ceiling(ctx, row, _state):
    return timing.measure(ctx.clock, CEILINGS[row["family"]](ctx, row), ctx.budget)


def ceiling_jobs(args):
    cuda = args.device == "cuda"
    sides = [512, 1024, 2048, 4096, 8192, 16384] if cuda else [256, 512, 1024, 2048]
    sizes = [2**k for k in range(16, 31 if cuda else 29, 2)]
    texts = [("gemm", f"gemm m={n} n={n} k={n}", p) for n in sides for p in args.precision if not p.startswith("amp")]
    texts += [("copy", f"copy bytes={n}", "fp32") for n in sizes] + [("launch", "launch", "fp32")]
    if cuda:
        texts += [("host_to_device", f"host_to_device bytes={n} pinned={pin}", "fp32") for n in sizes for pin in (0, 1)]
    if args.n_devices > 1:
        texts += [("all_reduce", f"all_reduce bytes={n}", "fp32") for n in sizes]
    return [[{"kind": "ceiling", "what": text, "family": family, "phase": "forward", "method": "ceiling",
              "precision": precision, "layout": "channels-first", "execution": "eager", "optimizer": "none"}]
            for family, text, precision in texts]


# ----------------------------------------------------------------------------------------------
# The run

class Group:
    """The processes that torchrun started, one per device; without it one alone."""

    def __init__(self, device):
        self.device, self.world, self.rank = device, int(os.environ.get("WORLD_SIZE", "1")), 0
        if self.world > 1:
            if device == "cuda":
                torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
            torch.distributed.init_process_group("nccl" if device == "cuda" else "gloo", timeout=GROUP_TIMEOUT)
            self.rank = torch.distributed.get_rank()

    def first(self):
        """The process that writes."""
        return self.rank == 0

    def together(self, module):
        return torch.nn.parallel.DistributedDataParallel(module) if self.world > 1 else module

    def of_first(self, thing):
        """What the first process has."""
        things = [thing]
        if self.world > 1:
            torch.distributed.broadcast_object_list(things, 0)
        return things[0]

    def any(self, flag):
        """Whether it is so in any process."""
        if self.world == 1:
            return flag
        x = torch.tensor(int(flag), device=self.device)
        torch.distributed.all_reduce(x, torch.distributed.ReduceOp.MAX)
        return bool(x.item())

    def end(self):
        if self.world > 1:
            torch.distributed.destroy_process_group()


class Context:
    """Where and with what the run measures; also the columns that all rows share."""

    def __init__(self, args):
        self.args, self.device, self.group = args, args.device, args.group
        self.budget = timing.Budget(getattr(args, "row_budget", 0), args.warmup_iters, args.max_iters)
        self.iterations = None
        ahead = args.command in ("layers", "ceilings")  # networks and grids run as users run them
        self.clock = timing.CudaClock(torch, ahead) if args.device == "cuda" else \
            timing.ThreadClock() if args.clock == "thread" else timing.HostClock()
        record = table.machine_record(args.epochcast)
        folder = os.path.dirname(os.path.abspath(args.out))
        name, key = self.device_names(record)
        config = torch.__config__.show()
        onednn = re.search(r"(?:oneDNN|MKL-DNN) v([\d.]+)", config)
        cudnn = torch.backends.cudnn.version() if args.device == "cuda" else None
        self.shared = {
            "machine": table.write_machine(record, folder if args.group.first() else ""),
            "device": args.device_key or key, "device_name": name,
            "engine": "pytorch", "engine_version": torch.__version__, "cuda": torch.version.cuda or "",
            "cudnn": cudnn or "", "driver": (record.get("nvidia") or {}).get("driver_version") or "",
            "onednn": onednn.group(1) if onednn else "",
            "blas": blas_library() if args.device == "cpu" else "",
            "allocator": args.malloc if args.device == "cpu" else "", "threads": args.threads if args.device == "cpu" else "",
            "num_devices": args.n_devices, "seed": args.seed, "tool": TOOL, "tool_version": TOOL_VERSION,
        }

    def device_names(self, record):
        """Name as the driver has it, and the catalogue's key or the name as a word."""
        if self.device == "cuda":
            name = torch.cuda.get_device_name(0)
            known = [g.get("device") for g in record.get("gpus", []) if g.get("name") == name and g.get("device")]
        else:
            name, known = table.cpu_model(), []
        word = re.sub(r"[^a-z0-9]+", "-", name.lower().replace("nvidia ", "")).strip("-")
        return name, known[0] if known else word

    def row(self, job):
        framework = "pytorch-compiled" if job["execution"] == "compiled" else \
            "pytorch-" + torch.__version__.split(".")[0]
        row = dict(self.shared, framework=framework, **job)
        row.pop("job_optimizer", None)
        return row

    def memory(self, row):
        if self.device == "cuda":
            row["memory_peak_bytes"] = torch.cuda.max_memory_allocated()
            row["memory_reserved_bytes"] = torch.cuda.max_memory_reserved()

    def fresh_memory(self):
        """Nothing of one job is left for the next: compiled code neither, of which PyTorch keeps only so much for
        one function before it goes on eagerly without a word."""
        if "torch._dynamo" in sys.modules:
            sys.modules["torch._dynamo"].reset()
        gc.collect()
        if self.device == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()


def blas_library():
    """What computes products on the CPU: of what is loaded, by the names of the files. Debian's PyTorch runs on the
    reference BLAS unless another one is installed, some hundred times slower."""
    torch.mm(torch.ones(2, 2), torch.ones(2, 2))
    if "BLAS_INFO=mkl" in torch.__config__.show() or torch.backends.mkl.is_available():
        return "mkl"
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as f:
            loaded = f.read()
    except OSError:
        return ""
    for word, name in (("openblas", "openblas"), ("libmkl", "mkl"), ("libblis", "blis"), ("/libblas", "reference")):
        if word in loaded:
            return name
    return ""


def keep_memory():
    """glibc shall not give freed memory back: else every call pays for fresh pages, as a step of a network with its
    many tensors of changing sizes does not."""
    trim_threshold, mmap_threshold = -1, -3
    try:
        libc = ctypes.CDLL(None)
        return bool(libc.mallopt(trim_threshold, 2**31 - 1) and libc.mallopt(mmap_threshold, 2**30))
    except (OSError, AttributeError):
        return False


def number(ns):
    return f"{ns:.1f}".rstrip("0").rstrip(".")


def fill(row, m, clock):
    host_ns = [] if clock == "thread" else m.host_ns
    row.update(outcome=m.outcome, note=m.note, n_warm_up=m.n_warm_up, calls_per_sample=m.calls, stop=m.stop,
               samples_ns=" ".join(map(number, host_ns)), device_samples_ns=" ".join(map(number, m.device_ns)),
               flags=" ".join(m.flags))


def run_row(ctx, job, measure, state):
    """One row, whatever becomes of it."""
    row = ctx.row(job)
    try:
        if ctx.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        set_precision(ctx.device, job["precision"])
        if "failed" in state:
            raise state["failed"]
        fill(row, measure(ctx, job, state), ctx.args.clock)
        ctx.memory(row)
    except (RuntimeError, ValueError, TypeError, MemoryError, LookupError, AttributeError, AssertionError,
            NotImplementedError, cases.Unsupported, data.DataError) as error:
        row["outcome"], row["note"] = outcome_of(error)
        error.__traceback__ = None  # it would keep the tensors of the failed call
        if not ({"layer", "training"} & set(state)):  # nothing was built: the other phases fail alike
            state["failed"] = error
    return row


class Progress:
    """What is done and how long the rest takes, on stderr."""

    def __init__(self, name, total, budget_s, heard):
        self.name, self.total, self.budget_s, self.heard = name, total, budget_s, heard
        self.start = self.told = time.monotonic()
        self.done = 0
        self.outcomes = {}

    def tell(self, row, every_s=5.0):
        self.done += 1
        self.outcomes[row["outcome"]] = self.outcomes.get(row["outcome"], 0) + 1
        now = time.monotonic()
        if self.heard and now - self.told >= every_s:
            self.told = now
            left = (self.total - self.done) * (now - self.start) / self.done
            if self.budget_s:
                left = min(left, self.budget_s - (now - self.start))
            print(f"{self.name}: {self.done} of {self.total} rows, about {max(left, 0) / 60:.1f} min left; "
                  f"{row['what']} {row['phase']}", file=sys.stderr)

    def end(self, why):
        if not self.heard:
            return
        counts = ", ".join(f"{n} {word}" for word, n in sorted(self.outcomes.items())) or "none"
        print(f"{self.name}: {why} after {(time.monotonic() - self.start) / 60:.1f} min; rows written: {counts}",
              file=sys.stderr)


def limit_memory():
    """Beyond it the allocator says no, which is an outcome; without it the system would kill the run."""
    free = table.memory_bytes("MemAvailable")
    try:
        with open("/proc/self/statm", encoding="ascii") as f:
            used = int(f.read().split()[0]) * resource.getpagesize()
    except OSError:
        return
    if free:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + int(MEMORY_SHARE * free), hard))


class Nowhere:
    """The table of the processes that do not write."""

    def has(self, _row):
        return False

    def append(self, row):
        pass

    def close(self):
        pass


def open_tables(args, ctx):
    """All processes end if the first one cannot open its files."""
    out, error = Nowhere(), None
    if ctx.group.first():
        try:
            out = table.Table(args.out, args.resume)
            if getattr(args, "per_iteration", ""):
                ctx.iterations = table.IterationTable(args.per_iteration, args.resume, args.env, args.data)
        except (table.TableError, OSError) as why:
            error = why
    if ctx.group.any(error is not None):
        raise error or table.TableError("the first process could not open its files")
    return out


def all_of_them(ctx, row):
    """The row, where another process failed to measure it."""
    failed = ctx.group.any(row["outcome"] not in ("ok", "unstable"))
    if failed and row["outcome"] in ("ok", "unstable"):
        row.update(outcome="error", note="another process failed", samples_ns="", device_samples_ns="")
    return row


def run(args, name, jobs, measure):
    jobs = table.shuffled_share(jobs, args.seed, args.shard)[:args.limit or None]
    ctx = Context(args)
    out = open_tables(args, ctx)
    wanted = [[job for job in rows if not out.has(ctx.row(job))] for rows in jobs]
    wanted = ctx.group.of_first([rows for rows in wanted if rows])
    known = sum(len(rows) for rows in jobs) - sum(len(rows) for rows in wanted)
    if known and ctx.group.first():
        print(f"{name}: {known} rows are there already", file=sys.stderr)
    progress = Progress(name, sum(len(rows) for rows in wanted), args.time_budget, ctx.group.first())
    end = time.monotonic() + args.time_budget
    gc.collect()
    gc.freeze()  # what is there stays: collecting between jobs looks at what they left alone
    for rows in wanted:
        state = {}
        torch.manual_seed(args.seed + ctx.group.rank)
        for job in rows:
            if args.time_budget and ctx.group.any(time.monotonic() >= end):
                progress.end("the time budget is used up")
                return 3
            try:
                row = all_of_them(ctx, run_row(ctx, job, measure, state))
            except DeviceBroken as error:
                out.append(dict(ctx.row(job), outcome="error", note=str(error)))
                progress.end("the device broke")
                return 4
            out.append(row)
            progress.tell(row)
        state.clear()
        ctx.fresh_memory()
    out.close()
    progress.end("done")
    return 0


def settle(args):
    """What one option implies for another."""
    args.n_devices = args.group.world
    if args.n_devices > 1 and args.command in ("layers", "grid"):
        sys.exit(f"collect: {args.command} measures one device: start it without torchrun")
    if args.device == "cuda" and not torch.cuda.is_available():
        sys.exit("collect: PyTorch sees no GPU: --device cpu measures the CPU")
    if args.clock == "thread" and (args.device != "cpu" or args.threads != 1):
        sys.exit("collect: --clock thread goes with --device cpu --threads 1")
    if args.command == "networks" and bool(args.networks) == bool(args.jobs):
        sys.exit("collect: networks needs --networks LIST or --jobs FILE")
    if args.command == "networks" and args.trace and not torch.profiler.kineto_available():
        sys.exit(f"collect: --trace: PyTorch {torch.__version__} was built without its profiler (Kineto)")
    if args.command == "layers":
        args.method = args.method or (["justus"] if args.activation else ["separated"])
        if args.activation and not set(args.method) & set(options.LONE):
            sys.exit("collect: --activation goes with --method isolated or justus")
        args.activation = args.activation or ["none"]
    if args.command == "networks" and args.data:
        data.check_spec(args.data)
    if args.n_devices > 1 or args.command == "networks" and (args.per_iteration or args.data):
        args.max_iters = args.max_iters or options.ITERATIONS
    if args.threads:
        torch.set_num_threads(args.threads)
    args.threads = torch.get_num_threads()
    args.malloc = args.malloc or ("default" if args.command in ("networks", "grid") else "keep")


def main():
    args = options.make_parser(__doc__).parse_args()
    args.device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    args.group = Group(args.device)
    parts = {"layers": (layer_jobs, measure_layer), "networks": (network_jobs, measure_network),
             "ceilings": (ceiling_jobs, measure_ceiling)}
    try:
        settle(args)
        list_jobs, measure = parts.get(args.command, (None, None))
        jobs = list_jobs(args) if list_jobs else []
        if args.device == "cpu":
            limit_memory()
            if args.malloc == "keep" and not keep_memory():
                args.malloc = "default"
        if args.command == "grid":
            status = grid.run(args, Context(args), optimizer_of)
        else:
            status = run(args, args.command, jobs, measure)
        args.group.end()
    except (grid.GridError, data.DataError, table.TableError, OSError, cases.Unsupported) as error:
        sys.exit(f"collect: {error}")
    except KeyboardInterrupt:
        print("collect: interrupted; --resume goes on", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)
