#!/usr/bin/python3
"""Record training steps of PyTorch modules; hold the networks to PyTorch's own counts and to the zoo.

    record.py --epochcast PROGRAM [--all] [--keep DIR] [NAME ...]

For each network: parameters exact; multiply-accumulates of forward within 0.1 % of those of the products and
convolutions that run; FLOP of backward and bytes saved for it within 1 % of what our network derives; operators
of backward that nobody knows are named. A network of torchvision is also held to the zoo's, time and memory of a
prediction within 1 %, its zoo's own size of images. By default a network of each family; --all: every one.
Prints a line per network, exits 1 when one differs, 77 (skipped) without PyTorch.
"""
import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "python"), HERE, os.path.join(HERE, "..", "torchvision")]
SKIPPED = 77
try:
    import torch
except ImportError as why:
    print("skipped:", why)
    sys.exit(SKIPPED)
try:
    import torchvision
except ImportError:
    torchvision = None
import models
from_torch = importlib.import_module("epochcast.from_torch")
from mac_counter import MacCounter

MAC_TOLERANCE, TOLERANCE = 1e-3, 1e-2
DEVICE, BATCH = "a100-sxm4-40gb", 32
FAMILIES = ("alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "googlenet", "inception_v3", "mnasnet1_0",
            "mobilenet_v2", "mobilenet_v3_large", "regnet_y_400mf", "resnet50", "shufflenet_v2_x1_0", "squeezenet1_0",
            "vgg11_bn", "vit_b_16", "wide_resnet50_2", "lraspp_mobilenet_v3_large",
            "fasterrcnn_mobilenet_v3_large_320_fpn", "retinanet_resnet50_fpn", "maskrcnn_resnet50_fpn")
# Where the module does what the built-in network does not: time and memory may differ by so much. torchvision's Swin
# pads by nothing, which copies, and takes q, k and v by index: three gradients of the size of all, added.
MODULE_DOES_MORE = {"swin": (0.12, 0.04), "maxvit": (0.03, TOLERANCE)}


def run(program, *args):
    got = subprocess.run([program, *args], capture_output=True, text=True, check=False)
    if got.returncode:
        raise RuntimeError(got.stderr.strip())
    return json.loads(got.stdout)


def off(ours, want):
    return ours / want - 1 if want else float(ours != want)


class Check:
    """One line of the report, and whether all of it holds."""

    def __init__(self, name):
        self.words, self.ok = ["%-20s" % name], True

    def hold(self, what, difference, bound):
        bad = abs(difference) > bound
        self.ok = self.ok and not bad
        self.words.append("%s %+.2f %%%s" % (what, 100 * difference, " TOO MUCH" if bad else ""))

    def expect(self, what, holds):
        self.ok = self.ok and holds
        self.words.append(what if holds else what + " DIFFERS")

    def report(self, more=""):
        print(" ".join(self.words), more, flush=True)
        return self.ok


def record(module, inputs, loss, path):
    graph = from_torch.record(module, inputs, loss)
    with open(path, "w") as out:
        json.dump(graph, out)
    return graph


def forward_mac(module, inputs):
    with torch.no_grad(), MacCounter() as counter:
        module(*(inputs if isinstance(inputs, tuple) else (inputs,)))
    return counter.mac


def hold_counts(check, program, path, graph, module, inputs, kept):
    totals = run(program, "model", path, "--json", "--batch", str(graph["batch"]))["totals"]
    recorded = graph["recorded"]
    params = sum(p.numel() for p in module.parameters())
    check.expect("params %d" % totals["params"], totals["params"] == params)
    check.hold("MAC", off(totals["mac"], forward_mac(module, inputs)), MAC_TOLERANCE)
    if not recorded["unknown"]:  # of those neither side knows
        check.hold("backward", off(recorded["backward"]["flop"], totals["backward_flop"]), TOLERANCE)
    if kept:
        check.hold("saved", off(recorded["saved_bytes"], totals["activation_bytes"]), TOLERANCE)
    for name in recorded["backward"]["unknown"]:
        check.expect(name, False)


def hold_to_zoo(check, program, path, name):
    framework = "pytorch-" + torch.__version__.split(".")[0]  # what its attention is made of

    def answer(model):
        return run(program, "predict", model, "--device", DEVICE, "--batch", str(BATCH), "--framework", framework,
                   "--json")
    ours, zoo = answer(path), answer(name)
    time, memory = MODULE_DOES_MORE.get(name.split("_")[0], (TOLERANCE, TOLERANCE))
    check.hold("time", off(ours["step_time_ns"]["p50"], zoo["step_time_ns"]["p50"]), time)
    check.hold("memory", off(ours["memory_peak_bytes"]["p50"], zoo["memory_peak_bytes"]["p50"]), memory)


def own(program, name, folder):
    check = Check(name)
    module, inputs, loss = models.MODELS[name]()
    path = os.path.join(folder, name + ".json")
    graph = record(module, inputs, loss, path)
    hold_counts(check, program, path, graph, module, inputs, kept=name not in models.KEEPS_OTHERWISE)
    for key, want in models.EXPECT.get(name, {}).items():
        check.expect(key, graph["recorded"][key] == want)
    return check.report(graph["recorded"]["unknown"] or "")


def build(name):
    kwargs = {"aux_logits": True, "init_weights": False} if name in ("googlenet", "inception_v3") else {}
    return torchvision.models.get_model(name, weights=None, **kwargs).train()


def without_init():
    """Weights stay as allocated: their values do not matter, and large networks take minutes."""
    for name in ("uniform_", "normal_", "trunc_normal_", "kaiming_uniform_", "kaiming_normal_",
                 "xavier_uniform_", "xavier_normal_"):
        setattr(torch.nn.init, name, lambda t, *args, **kwargs: t)


def classifier(program, name, folder):
    check, module = Check(name), build(name)
    px = run(program, "predict", name, "--device", DEVICE, "--batch", "2", "--json")["image_px"]
    inputs = torch.zeros(2, 3, px, px)
    path = os.path.join(folder, name + ".json")
    graph = record(module, inputs, None, path)
    hold_counts(check, program, path, graph, module.to("meta"), inputs.to("meta"), kept=True)
    hold_to_zoo(check, program, path, name)
    return check.report(graph["recorded"]["unknown"] or "")


def segmentation(program, name, folder):
    check = Check(name)
    module = torchvision.models.get_model(name, weights=None, weights_backbone=None).train()
    inputs, path = torch.zeros(2, 3, 224, 224), os.path.join(folder, name + ".json")
    graph = record(module, inputs, None, path)
    hold_counts(check, program, path, graph, module.to("meta"), inputs.to("meta"), kept=True)
    return check.report(graph["recorded"]["unknown"] or "")


def detection(program, name, folder):
    """Shapes follow from values: a step on real tensors, the same random choices in both."""
    check = Check(name)
    small = {} if name.startswith("ssd") else {"min_size": 320, "max_size": 640}  # or they run at 800 pixels
    module = torchvision.models.get_model(name, weights=None, weights_backbone=None, **small).train()
    images = [torch.rand(3, 320, 320) for _ in range(2)]
    targets = [{"boxes": torch.tensor([[10.0, 10, 100, 120], [50, 60, 200, 220]]), "labels": torch.tensor([1, 1]),
                "masks": torch.ones(2, 320, 320, dtype=torch.uint8), "keypoints": torch.ones(2, 17, 3)}
               for _ in range(2)]
    path = os.path.join(folder, name + ".json")
    state = torch.get_rng_state()
    graph = from_torch.record(module, (images, targets), lambda losses: sum(losses.values()))
    with open(path, "w") as out:
        json.dump(graph, out)
    torch.set_rng_state(state)
    totals = run(program, "model", path, "--json")["totals"]
    check.expect("params %d" % totals["params"], totals["params"] == sum(p.numel() for p in module.parameters()))
    check.hold("MAC", off(totals["mac"], forward_mac(module, (images, targets))), MAC_TOLERANCE)
    check.hold("backward", off(graph["recorded"]["backward"]["flop"], totals["backward_flop"]), TOLERANCE)
    if name not in models.KEEPS_OTHERWISE:
        check.hold("saved", off(graph["recorded"]["saved_bytes"], totals["activation_bytes"]), TOLERANCE)
    check.expect("real values", graph["recorded"]["values"] == "real")
    return check.report(graph["recorded"]["unknown"] or "")


def rules(program, _name, folder):
    """What a network is told beside its operators: frozen and shared weights, a loss, an optimizer."""
    check, path = Check("rules"), os.path.join(folder, "rules.json")
    module = models.Frozen()
    graph = record(module, torch.zeros(4, 3, 16, 16), None, path)
    totals = run(program, "model", path, "--json", "--batch", "4")["totals"]
    check.expect("trained", totals["params"] == sum(p.numel() for p in module.parameters() if p.requires_grad))
    check.expect("frozen", totals["buffers"] >= sum(p.numel() for p in module.body.parameters()))
    check.hold("backward", off(graph["recorded"]["backward"]["flop"], totals["backward_flop"]), TOLERANCE)
    ids = models.ids(4, 128)
    graph = record(models.Gpt(), ids, models.tokens_loss(ids), path)
    check.expect("loss", [n["op"] for n in graph["nodes"]][-1] == "cross_entropy")
    check.expect("shared", sum(p.numel() for p in models.Gpt().parameters()) ==
                 run(program, "model", path, "--json", "--batch", "4")["totals"]["params"])
    told = from_torch.optimizer_of(torch.optim.AdamW(module.head.parameters(), foreach=True), module)
    check.expect("optimizer", (told["optimizer"], told["update"]) == ("adamw", "foreach") and told["frozen"] == sum(
        p.numel() for p in module.body.parameters()))
    told = from_torch.optimizer_of(torch.optim.SGD([{"params": module.body.parameters()}, {
        "params": module.head.parameters(), "momentum": 0.9}], 0.1), module)
    check.expect("groups", (told["optimizer"], told["groups"]) == ("momentum", 2))
    return check.report()


def kind_of(name):
    if name == "rules" or name in models.MODELS:
        return rules if name == "rules" else own
    for module, check in ((torchvision.models.segmentation, segmentation), (torchvision.models.detection, detection)):
        if name in torchvision.models.list_models(module=module):
            return check
    return classifier


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochcast", required=True)
    parser.add_argument("--keep")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    without_init()
    names = options.names or ["rules"] + list(models.MODELS) + (
        [] if torchvision is None else torchvision.models.list_models() if options.all else list(FAMILIES))
    bad = []
    with tempfile.TemporaryDirectory() as temp:
        for name in names:
            try:
                good = kind_of(name)(options.epochcast, name, options.keep or temp)
            except Exception as why:  # one that fails must not hide the others
                print("%-20s FAILED %s: %s" % (name, type(why).__name__, str(why)[:300]), flush=True)
                good = False
            bad += [] if good else [name]
    print("%d networks, %d failed %s" % (len(names), len(bad), " ".join(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
