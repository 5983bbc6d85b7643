"""Configurations of a family, each trained for some epochs: the table of `epochcast measure grid`, from PyTorch."""
import itertools
import statistics
import sys
import time

import torch
from torch import nn

from . import data, networks, table

FIXED = ("batch_size,num_params,dataset_size,epochs,time_per_epoch,images_per_second,peak_memory_mb,optimizer,precision,"
         "device,val_accuracy,test_accuracy,steps_per_epoch,steps_timed,scaled,train_loss,threads,clock,library,"
         "measured_utc,data").split(",")
LATER = ("data",)  # tables of earlier versions lack it
KEY_TAIL = ("batch_size", "optimizer", "precision", "threads", "data")
LEARNING_RATE = 1e-3


class GridError(Exception):
    """What was asked for makes no sense; the text is a sentence for the user."""


# ----------------------------------------------------------------------------------------------
# The grid

def parse_axis(text):
    """NAME=N,... as (name, values)."""
    name, eq, values = text.partition("=")
    if not name or not eq or not values:
        raise GridError(f"\"{text}\": expected NAME=N,...")
    try:
        return name, [int(v) for v in values.split(",")]
    except ValueError:
        raise GridError(f"\"{text}\": expected NAME=N,...") from None


def axes_of(family, params):
    """The parameters that are varied; of the CIFAR-10 template depth and base filters unless told."""
    axes = dict(parse_axis(text) for text in params)
    if family == "cifar_cnn" and not axes:
        axes = {"depth": [2, 3, 4], "base_filters": [32, 64]}
    if not axes:
        raise GridError(f"nothing is varied: give --param NAME=N,... of {family}")
    return axes


def configurations(axes, batches):
    """All of them, as dictionaries with batch_size."""
    names = list(axes) + ["batch_size"]
    return [dict(zip(names, values)) for values in itertools.product(*axes.values(), batches)]


def network_name(family, axes, config):
    return family + ":" + ",".join(f"{name}={config[name]}" for name in axes)


class GridTable(table.Lines):
    """configs_FAMILY_DEVICE.csv, a row per configuration."""

    def __init__(self, path, axes, resume):
        self.keys = set()
        self.key_columns = ("model", *axes, *KEY_TAIL)
        super().__init__(path, ["model", *axes, *FIXED], resume, LATER)

    def take_up(self, rows):
        self.key_columns = [name for name in self.key_columns if name in self.columns]
        for row in rows:
            self.keys.add(self.key(dict(zip(self.columns, row))))

    def key(self, row):
        return tuple(str(row[name]) for name in self.key_columns)

    def add(self, row):
        self.write_row([row.get(name, "") for name in self.columns])
        self.keys.add(self.key(row))


# ----------------------------------------------------------------------------------------------
# One run

def begin_weights(module):
    """Weights before a ReLU as He et al. 2015 have them. By PyTorch's own, each layer lets through a sixth of the
    variance: after eight convolutions without normalisation every image looks alike."""
    layers = [m for m in module.modules() if not list(m.children())]
    for layer, behind in zip(layers, layers[1:]):
        if isinstance(layer, (nn.Conv2d, nn.Linear)) and isinstance(behind, nn.ReLU):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


class Run:
    """A configuration being trained as a user would: a new order each epoch, a batch taken from the images, a step."""

    def __init__(self, args, name, config, images, optimizer_of):
        self.args, self.images, self.batch = args, images, config["batch_size"]
        net = networks.build(name)
        begin_weights(net.module)
        self.module, self.loss_fn = net.module.to(args.device).train(), net.loss
        self.params = [p for p in self.module.parameters() if p.requires_grad]
        self.optimizer = optimizer_of(args.optimizer, self.params, LEARNING_RATE)
        if self.batch > len(images):
            raise GridError(f"batch {self.batch}: there are {len(images)} training samples")
        self.steps = len(images) // self.batch  # the last, smaller one is left out
        self.step_s, self.loss = [], 0.0
        self.now = time.process_time if args.clock == "thread" else time.perf_counter

    def wait(self):
        if self.args.device == "cuda":
            torch.cuda.synchronize()

    def step(self, x, y):
        x, y = x.to(self.args.device), y.to(self.args.device)
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss_fn(self.module(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def epoch(self, most):
        """At most so many steps; returns how many, and the seconds of the whole."""
        losses = []
        self.wait()
        start = last = self.now()
        for x, y in itertools.islice(self.images.epoch(self.batch), most):
            losses.append(self.step(x, y))
            now = self.now()
            self.step_s.append(now - last)
            last = now
        self.wait()
        self.loss = statistics.fmean(losses)
        return len(losses), self.now() - start

    def whole_epochs(self):
        """Seconds of an epoch: their mean."""
        seconds = [self.epoch(self.steps)[1] for _ in range(self.args.epochs)]
        return statistics.fmean(seconds), self.args.epochs, len(self.step_s)

    def some_steps(self):
        """The median of steps after the first few, times the steps of an epoch."""
        most = self.args.warmup_iters + self.args.max_iters
        while len(self.step_s) < most:
            self.epoch(most - len(self.step_s))
        timed = self.step_s[self.args.warmup_iters:]
        return statistics.median(timed) * self.steps, 0, len(timed)

    def test_accuracy(self):
        self.module.eval()
        right = count = 0
        with torch.no_grad():
            for x, y in self.images.test():
                right += int((self.module(x.to(self.args.device)).argmax(1).cpu() == y).sum())
                count += len(y)
        return right / count

    def row(self):
        scaled = bool(self.args.max_iters)
        epoch_s, epochs, timed = self.some_steps() if scaled else self.whole_epochs()
        cuda = self.args.device == "cuda"
        return {"num_params": sum(p.numel() for p in self.params), "dataset_size": len(self.images), "epochs": epochs,
                "time_per_epoch": f"{epoch_s:.6g}", "images_per_second": f"{self.steps * self.batch / epoch_s:.6g}",
                "peak_memory_mb": f"{torch.cuda.max_memory_allocated() / 2**20:.6g}" if cuda else "",
                "test_accuracy": "" if scaled else f"{self.test_accuracy():.6g}", "steps_per_epoch": self.steps,
                "steps_timed": timed, "scaled": int(scaled), "train_loss": f"{self.loss:.6g}"}


def run(args, context, optimizer_of):
    """Trains what is not in the table yet; returns the exit status."""
    axes = axes_of(args.family, args.param)
    out = GridTable(args.out, axes, args.resume)
    try:
        shape = networks.build(network_name(args.family, axes, configurations(axes, args.batch)[0])).shape
    except LookupError as error:
        raise GridError(str(error).strip("'\"")) from None
    if not shape:
        raise GridError(f"{args.family}: a grid trains networks of images")
    images = data.open_grid(args.data, shape, args.samples, args.seed, args.workers)
    shared = {"model": args.family, "optimizer": args.optimizer, "precision": "fp32", "device": context.shared["device"],
              "data": args.data, "threads": context.shared["threads"], "clock": args.clock,
              "library": " ".join(["PyTorch", torch.__version__, context.shared["blas"]]).strip()}
    wanted = [c for c in configurations(axes, args.batch) if out.key({**shared, **c}) not in out.keys]
    wanted = table.shuffled_share(wanted, args.seed, args.shard)
    end = time.monotonic() + args.time_budget if args.time_budget else None
    for n, config in enumerate(wanted):
        if end and time.monotonic() >= end:
            print(f"grid: the time budget is used up; {len(wanted) - n} configurations are left", file=sys.stderr)
            return 3
        name = network_name(args.family, axes, config)
        torch.manual_seed(args.seed)
        context.fresh_memory()
        try:
            row = Run(args, name, config, images, optimizer_of).row()
        except (GridError, data.DataError, LookupError, MemoryError, RuntimeError) as error:  # of this configuration alone
            text = str(error).split("\n", maxsplit=1)[0]
            print(f"grid: {name}, batch {config['batch_size']}: {text}", file=sys.stderr)
            continue
        out.add({**shared, **config, **row, "measured_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
        print(f"grid: {n + 1} of {len(wanted)}: {name}, batch {config['batch_size']}: {row['time_per_epoch']} s",
              file=sys.stderr)
    out.close()
    return 0
