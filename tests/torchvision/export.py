#!/usr/bin/python3
"""Export torchvision's classification networks to ONNX, count them here and with our reader.

    export.py --count PROGRAM [--epochcast PROGRAM] [--keep DIR] [--batch N] [--inference] [NAME ...]

Parameters must agree exactly, multiply-accumulates within 0.1 %. Prints one line per network and
exits 1 when any differs. With --epochcast the predicted time and peak memory must be those of the
built-in network within 1 %. Exits 77 (skipped) without PyTorch or torchvision. Counting here sees every
matrix product and convolution that PyTorch dispatches, not only those of known modules.
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import warnings

SKIPPED = 77
try:
    import torch
    import torchvision
    from mac_counter import MacCounter
except ImportError as why:
    print("skipped:", why)
    sys.exit(SKIPPED)

MAC_TOLERANCE, TOLERANCE = 1e-3, 1e-2
# What an inference export leaves out for good is left out of the built-in network.
WITHOUT_HEADS = {"inception_v3": "inception_v3:aux=0", "googlenet": "googlenet:aux=0,bn=1"}
IMAGE_PX = {"inception_v3": 299, "googlenet": 256}  # 256: its adaptive pooling divides evenly


def no_init():
    """Weights stay as allocated: their values do not matter, and large networks take minutes."""
    for name in ("uniform_", "normal_", "trunc_normal_", "kaiming_uniform_", "kaiming_normal_",
                 "xavier_uniform_", "xavier_normal_"):
        setattr(torch.nn.init, name, lambda t, *args, **kwargs: t)


def randomize(model):
    """Inference exports merge weights of equal value: make all differ, variances positive."""
    with torch.no_grad():
        for tensor in list(model.parameters()) + list(model.buffers()):
            if tensor.is_floating_point():
                tensor.uniform_(0.01, 0.05)


def build(name):
    kwargs = {"aux_logits": True, "init_weights": False} if name in ("googlenet",
                                                                     "inception_v3") else {}
    model = torchvision.models.get_model(name, weights=None, **kwargs).train()
    for module in model.modules():  # its random decisions cannot be exported
        if type(module).__name__ == "StochasticDepth":
            module.p = 0.0
    return model


@contextlib.contextmanager
def without_zero_fill():
    """swin_v2 clears a slice of a bias in place, which this exporter does not know."""
    kept = torch.Tensor.zero_
    torch.Tensor.zero_ = lambda self: self
    try:
        yield
    finally:
        torch.Tensor.zero_ = kept


def export(model, x, path, inference):
    mode = torch.onnx.TrainingMode.EVAL if inference else torch.onnx.TrainingMode.TRAINING
    with warnings.catch_warnings(), without_zero_fill():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, x, path, training=mode, do_constant_folding=inference,
                          export_params=inference, opset_version=17)


def our_count(program, path, batch, more=()):
    args = [program] + (["--batch=%d" % batch] if batch else []) + list(more) + [path]
    got = subprocess.run(args, capture_output=True, text=True, check=False)
    return got.stdout.rstrip("\n").split("\t")[1:], got.stderr.strip()


def predicted(program, model):
    got = subprocess.run([program, "predict", model, "--device", "rtx3090", "--batch", "16", "--json"],
                         capture_output=True, text=True, check=True)
    answer = json.loads(got.stdout)
    return answer["step_time_ns"]["p50"], answer["memory_peak_bytes"]["p50"]


def agrees(name, path, options):
    built_in = WITHOUT_HEADS.get(name, name) if options.inference else name
    off = [a / b - 1 for a, b in zip(predicted(options.epochcast, path), predicted(options.epochcast, built_in))]
    print("%-24s time %+.2f %%, memory %+.2f %%" % (name, 100 * off[0], 100 * off[1]))
    return max(map(abs, off)) <= TOLERANCE


def check(name, options, folder):
    px = IMAGE_PX.get(name, 224)
    model = build(name)
    if options.inference:
        model.eval()
        randomize(model)
        for module in model.modules():
            # evaluation mode has a kernel of its own for attention, which some exporters do not know
            if isinstance(module, torch.nn.MultiheadAttention) and not module.dropout:
                module.training, module.train = True, lambda _mode=True, kept=module: kept
    x = torch.zeros(2, 3, px, px)
    params = sum(p.numel() for key, p in model.named_parameters()
                 if not (options.inference and name in WITHOUT_HEADS and key.lower().startswith("aux")))
    path = os.path.join(folder, name + ".onnx")
    with torch.no_grad():
        export(model, x, path, options.inference)
        with MacCounter() as counter:
            model(x)
    want_mac = counter.mac * (options.batch or 2) / 2
    got, notes = our_count(options.count, path, options.batch)
    as_built_in = not options.epochcast or agrees(name, path, options)
    if not options.keep:
        os.unlink(path)
    if got[0] == "refused":
        print("%-24s FAILED %s" % (name, got[2]))
        return False
    mac_error = abs(int(got[1]) - want_mac) / want_mac
    ok = as_built_in and int(got[0]) == params and mac_error <= MAC_TOLERANCE and got[2] == "0"
    print("%-24s %s params %s (want %d) mac %.4g (want %.4g, off %.4f %%) unknown %s nodes %s %s" %
          (name, "ok" if ok else "FAILED", got[0], params, int(got[1]), want_mac, 100 * mac_error,
           got[2], got[3], "" if ok else notes))
    return ok


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", required=True)
    parser.add_argument("--epochcast")
    parser.add_argument("--keep")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--inference", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    no_init()
    names = options.names or torchvision.models.list_models(module=torchvision.models)
    bad = []
    with tempfile.TemporaryDirectory() as temp:
        for name in names:
            try:
                if not check(name, options, options.keep or temp):
                    bad.append(name)
            except Exception as why:  # the exporter's failure must not hide the others
                print("%-24s FAILED %s: %s" % (name, type(why).__name__, str(why)[:300]))
                bad.append(name)
            sys.stdout.flush()
    print("%d networks, %d failed %s" % (len(names), len(bad), " ".join(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
