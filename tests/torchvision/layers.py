#!/usr/bin/python3
"""Export small networks of many kinds to ONNX; compare counts with PyTorch's own.

    layers.py --count PROGRAM [--keep DIR] [NAME ...]

Transformers, recurrent networks, norms and resizing; each with and without weights, with fixed and with
symbolic batch, read at the exported batch and at three times that. Parameters and multiply-accumulates
must agree exactly. Exits 77 (skipped) without PyTorch.
"""
import argparse
import math
import os
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from export import MacCounter, our_count, torch  # exits 77 without PyTorch

from torch import nn
from torch.nn import functional as F

BATCH = 2
TOKENS = 16


class RmsNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Block(nn.Module):
    def __init__(self, dim, heads, norm, act):
        super().__init__()
        self.heads, self.act = heads, act
        self.norm1, self.norm2 = norm(dim), norm(dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=norm is nn.LayerNorm)
        self.proj = nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        n, t, dim = x.shape
        q, k, v = (part.view(n, t, self.heads, dim // self.heads).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).split(dim, -1))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(dim // self.heads)
        causal = torch.arange(t)[:, None] >= torch.arange(t)[None]
        scores = self.drop(scores.masked_fill(~causal, float("-inf")).softmax(-1))
        x = x + self.drop(self.proj((scores @ v).transpose(1, 2).reshape(n, t, dim)))
        return x + self.down(self.act(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self, norm=nn.LayerNorm, act=None, tied=True, dim=64, words=100):
        super().__init__()
        self.words, self.places = nn.Embedding(words, dim), nn.Embedding(TOKENS, dim)
        self.blocks = nn.ModuleList(Block(dim, 4, norm, act or nn.GELU()) for _ in range(2))
        self.norm, self.out = norm(dim), nn.Linear(dim, words, bias=False)
        if tied:
            self.out.weight = self.words.weight

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, activation="gelu")
        self.layers, self.out = nn.TransformerEncoder(layer, 2), nn.Linear(64, 5)

    def forward(self, x):
        return self.out(self.layers(x).mean(1))


class Recurrent(nn.Module):
    def __init__(self, kind, both_ways):
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.layers = kind(32, 48, 2, batch_first=True, bidirectional=both_ways)
        self.out = nn.Linear(96 if both_ways else 48, 7)

    def forward(self, ids):
        return self.out(self.layers(self.words(ids))[0][:, -1])


class LastState(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.out = nn.LSTM(32, 48, 2, batch_first=True), nn.Linear(48, 7)

    def forward(self, x):
        return self.out(self.layers(x)[1][0][-1])


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.group = nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16)
        self.up = nn.ConvTranspose2d(16, 8, 4, 2, 1, output_padding=1)
        self.instance, self.slope, self.mish = nn.InstanceNorm2d(8, affine=True), nn.PReLU(8), nn.Mish()

    def forward(self, x):
        x = F.interpolate(self.mish(self.group(self.conv(x))), scale_factor=2, mode="bilinear")
        x = F.pixel_shuffle(self.slope(self.instance(self.up(x))), 2)
        return F.hardswish(x).mean((2, 3))


class Dimensions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm, self.conv3 = nn.Conv1d(4, 8, 3), nn.BatchNorm1d(8), nn.Conv3d(1, 2, 3)

    def forward(self, x):
        y = F.adaptive_avg_pool1d(F.silu(self.norm(self.conv1(x))), 1).flatten(1)
        return y.sum() + self.conv3(x.reshape(x.shape[0], 1, 4, 4, -1)).mean()


IDS = torch.zeros(BATCH, TOKENS, dtype=torch.long)
CASES = {  # name: (network, input, operator sets, modes: training or not)
    "decoder": (Decoder, IDS, (9, 11, 13, 14, 16, 17), (True, False)),
    "rms_decoder": (lambda: Decoder(RmsNorm, nn.SiLU(), tied=False), IDS, (13, 17), (True,)),
    "tanh_gelu": (lambda: Decoder(act=nn.GELU("tanh")), IDS, (13,), (True,)),
    "encoder": (Encoder, torch.zeros(BATCH, 10, 64), (13, 17), (True,)),
    "last_state": (LastState, torch.zeros(BATCH, 9, 32), (11, 13), (True, False)),
    "norms": (Norms, torch.zeros(BATCH, 3, 16, 16), (11, 13, 17), (True,)),
    "dimensions": (Dimensions, torch.zeros(BATCH, 4, 32), (11, 13), (True,)),
}
for cell in (nn.LSTM, nn.GRU, nn.RNN):
    for ways in (False, True):
        CASES["%s_%d" % (cell.__name__.lower(), 1 + ways)] = (
            lambda cell=cell, ways=ways: Recurrent(cell, ways), IDS, (11, 13), (True, False))


def randomize(model):
    """Equal weights would be merged by inference exports."""
    for tensor in list(model.parameters()) + list(model.buffers()):
        if tensor.is_floating_point():
            tensor.data.uniform_(0.01, 0.05)


def export(model, x, path, opset, training, weights, symbolic):
    mode = torch.onnx.TrainingMode.TRAINING if training else torch.onnx.TrainingMode.EVAL
    axes = {0: "batch", 1: "seq"} if x.dtype == torch.long else {0: "batch"}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(model.train(training), x, path, training=mode, opset_version=opset,
                          do_constant_folding=not training, export_params=weights,
                          input_names=["x"], output_names=["y"],
                          dynamic_axes={"x": axes} if symbolic else None)


def check(name, options, folder):
    make, x, opsets, modes = CASES[name]
    n_bad = n_done = 0
    for opset in opsets:
        for training in modes:
            for weights in (True, False) if training else (True,):
                for symbolic in (False, True):
                    model = make()
                    randomize(model)
                    case = "%s-%d%s%s%s" % (name, opset, "" if training else "-inference",
                                            "" if weights else "-bare",
                                            "-symbolic" if symbolic else "")
                    path = os.path.join(folder, case + ".onnx")
                    export(model, x, path, opset, training, weights, symbolic)
                    with torch.no_grad(), MacCounter() as counter:
                        model.train()(x)
                    params = sum(p.numel() for p in model.parameters())
                    for times in (1, 3):
                        got, notes = our_count(options.count, path, BATCH * times,
                                               ["--seq=%d" % x.shape[1]])
                        n_done += 1
                        if got[:3] != [str(params), str(counter.mac * times), "0"]:
                            n_bad += 1
                            print("%s batch %d FAILED: %s, want %d %d; %s" %
                                  (case, BATCH * times, got, params, counter.mac * times, notes))
    print("%-12s %s %d exports read" % (name, "FAILED" if n_bad else "ok", n_done))
    sys.stdout.flush()
    return n_bad == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", required=True)
    parser.add_argument("--keep")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temp:
        bad = [name for name in options.names or CASES
               if not check(name, options, options.keep or temp)]
    print("%d kinds, %d failed %s" % (len(options.names or CASES), len(bad), " ".join(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
