"""Configurations of a family, each trained for some epochs: the table of `epochcast measure grid`, from PyTorch."""
import itertools
import os
import statistics
import sys
import time

import collect_networks as networks
import collect_table as table
import torch
from torch import nn

FIXED = ("batch_size,num_params,dataset_size,epochs,time_per_epoch,images_per_second,peak_memory_mb,optimizer,precision,"
         "device,val_accuracy,test_accuracy,steps_per_epoch,steps_timed,scaled,train_loss,threads,clock,library,"
         "measured_utc,data").split(",")
LATER = ("data",)  # tables of earlier versions lack it
KEY_TAIL = ("batch_size", "optimizer", "precision", "threads", "data")
CIFAR_IMAGE, CLASSES, TEST_SHARE = 3 * 32 * 32, 10, 0.2
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
# Images

class Images:
    """Training and test images with their classes, in memory."""

    def __init__(self, x, y, test_x, test_y):
        self.x, self.y, self.test_x, self.test_y = x, y, test_x, test_y


def synthetic_images(n, seed):
    """Of the size of CIFAR-10's; each class has a smooth pattern of its own under noise, so that there is something to
    learn. Smooth: of patterns that differ from pixel to pixel, like noise, the third pooling leaves nothing to tell
    classes apart by."""
    draw = torch.Generator().manual_seed(seed)
    corners = torch.randn(CLASSES, 3, 8, 8, generator=draw)
    patterns = nn.functional.interpolate(corners, size=32, mode="bilinear", align_corners=True)
    patterns *= 0.5 / patterns.std((1, 2, 3), keepdim=True)

    def some(count):
        y = torch.randint(CLASSES, [count], generator=draw)
        return patterns[y] + torch.randn(count, 3, 32, 32, generator=draw), y
    return Images(*some(n), *some(max(1, int(TEST_SHARE * n))))


def read_cifar(paths, limit):
    data = b"".join(open(path, "rb").read() for path in paths)
    rows = torch.frombuffer(bytearray(data), dtype=torch.uint8).view(-1, 1 + CIFAR_IMAGE)[:limit or None]
    return (rows[:, 1:].float() / 255 - 0.5).view(-1, 3, 32, 32) * 4, rows[:, 0].long()


def cifar_images(folder, limit):
    """The binary version of CIFAR-10: data_batch_1.bin to data_batch_5.bin and test_batch.bin."""
    train = [os.path.join(folder, f"data_batch_{i}.bin") for i in range(1, 6)]
    test_limit = max(1, int(TEST_SHARE * limit)) if limit else 0
    return Images(*read_cifar(train, limit), *read_cifar([os.path.join(folder, "test_batch.bin")], test_limit))


def open_images(args):
    kind, _, folder = args.data.partition(":")
    if kind == "synthetic":
        return synthetic_images(args.samples or 50000, args.seed)
    if kind == "cifar10" and folder:
        return cifar_images(folder, args.samples)
    raise GridError(f"data \"{args.data}\": expected synthetic or cifar10:FOLDER")


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

    def __init__(self, args, name, config, images, make_optimizer):
        self.args, self.images, self.batch = args, images, config["batch_size"]
        net = networks.build(name)
        begin_weights(net.module)
        self.module, self.loss_fn = net.module.to(args.device).train(), net.loss
        self.params = [p for p in self.module.parameters() if p.requires_grad]
        self.optimizer = make_optimizer(self.params, LEARNING_RATE)
        if self.batch > len(images.y):
            raise GridError(f"batch {self.batch}: there are {len(images.y)} training samples")
        self.steps = len(images.y) // self.batch  # the last, smaller one is left out
        self.step_s, self.loss = [], 0.0
        self.now = time.process_time if args.clock == "thread" else time.perf_counter

    def wait(self):
        if self.args.device == "cuda":
            torch.cuda.synchronize()

    def step(self, index):
        x, y = self.images.x[index].to(self.args.device), self.images.y[index].to(self.args.device)
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss_fn(self.module(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def epoch(self, most):
        """At most so many steps; returns how many, and the seconds of the whole."""
        order, losses = torch.randperm(len(self.images.y)), []
        self.wait()
        start = last = self.now()
        for index in order.split(self.batch)[:min(most, self.steps)]:
            losses.append(self.step(index))
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
        with torch.no_grad():
            right = sum(int((self.module(x.to(self.args.device)).argmax(1).cpu() == y).sum())
                        for x, y in zip(self.images.test_x.split(256), self.images.test_y.split(256)))
        return right / len(self.images.test_y)

    def row(self):
        scaled = bool(self.args.max_iters)
        epoch_s, epochs, timed = self.some_steps() if scaled else self.whole_epochs()
        cuda = self.args.device == "cuda"
        return {"num_params": sum(p.numel() for p in self.params), "dataset_size": len(self.images.y), "epochs": epochs,
                "time_per_epoch": f"{epoch_s:.6g}", "images_per_second": f"{self.steps * self.batch / epoch_s:.6g}",
                "peak_memory_mb": f"{torch.cuda.max_memory_allocated() / 2**20:.6g}" if cuda else "",
                "test_accuracy": "" if scaled else f"{self.test_accuracy():.6g}", "steps_per_epoch": self.steps,
                "steps_timed": timed, "scaled": int(scaled), "train_loss": f"{self.loss:.6g}"}


def run(args, context, optimizers):
    """Trains what is not in the table yet; returns the exit status."""
    axes = axes_of(args.family, args.param)
    out = GridTable(args.out, axes, args.resume)
    images = open_images(args)
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
            row = Run(args, name, config, images, optimizers[args.optimizer]).row()
        except (GridError, LookupError, MemoryError, RuntimeError) as error:  # of this configuration alone
            text = str(error).split("\n", maxsplit=1)[0]
            print(f"grid: {name}, batch {config['batch_size']}: {text}", file=sys.stderr)
            continue
        out.add({**shared, **config, **row, "measured_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
        print(f"grid: {n + 1} of {len(wanted)}: {name}, batch {config['batch_size']}: {row['time_per_epoch']} s",
              file=sys.stderr)
    out.close()
    return 0
