#!/usr/bin/env python3
"""Speed of reading training data: tests/perf/loader/run.py BUILD

JPEG images of 500x375, as ImageNet has on average, are decoded, cropped at random, resized to 224, flipped and
normalised: by our loader and, where Debian's python3-torchvision is installed, by torchvision's ImageFolder and
PyTorch's DataLoader, in turns. Rates are samples per second of processor time of everything that worked, so that
what else runs on the machine does not count; what stands in the last column is the median of the paired ratios.
"""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

RUNS = 7
IMAGES = 256
BATCH = 32
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's packages are installed for this one

MAKE_IMAGES = """
import sys, pathlib, numpy
from PIL import Image
rng = numpy.random.default_rng(0)
for k in range(int(sys.argv[2])):
    coarse = Image.fromarray(rng.integers(0, 256, (12, 16, 3), dtype=numpy.uint8)).resize((500, 375), 3)
    image = numpy.asarray(coarse, dtype=float) + rng.normal(0, 8, (375, 500, 1))
    folder = pathlib.Path(sys.argv[1]) / "train" / f"class{k % 4}"
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image.clip(0, 255).astype(numpy.uint8)).save(folder / f"{k}.jpg", quality=92)
"""

TORCH = """
import json, resource, sys, torch
from torchvision import datasets, transforms as t
torch.set_num_threads(1)
what = t.Compose([t.RandomResizedCrop(224), t.RandomHorizontalFlip(), t.ToTensor(),
                  t.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
data = datasets.ImageFolder(sys.argv[1] + "/train", what)

def processor_s():
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

start, n = processor_s(), 0
for x, y in torch.utils.data.DataLoader(data, int(sys.argv[2]), shuffle=True, num_workers=int(sys.argv[3]),
                                        multiprocessing_context="fork" if int(sys.argv[3]) else None):
    n += len(x)
print(json.dumps(n / (processor_s() - start)))
"""


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def python(code, *args):
    return subprocess.run([SYSTEM_PYTHON, "-c", code, *map(str, args)], capture_output=True, text=True)


def ours(epochcast, spec, batches, workers):
    start = processor_s()
    out = subprocess.run([epochcast, "dataset", spec, "--json", "--batches", str(batches), "--batch", str(BATCH),
                          "--workers", str(workers), "--val-split", "0"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)["reading"]["samples"] / (processor_s() - start)


def say(what, values, ratio=""):
    print(f"{what:44} {statistics.median(values):11,.0f} {min(values):11,.0f} {max(values):11,.0f}  {ratio}")


def compare(epochcast, folder, workers):
    rates, theirs, ratios = [], [], []
    for _ in range(RUNS):
        rates.append(ours(epochcast, f"imagefolder:{folder},px=224", IMAGES // BATCH, workers))
        done = python(TORCH, folder, BATCH, workers)
        if done.returncode == 0:
            theirs.append(json.loads(done.stdout))
            ratios.append(rates[-1] / theirs[-1])
    say(f"JPEG 500x375 to 224, {workers} workers", rates,
        f"{statistics.median(ratios):.2f} times torchvision's" if ratios else "no torchvision here")
    if theirs:
        say("  torchvision", theirs)


def main():
    epochcast = os.path.join(sys.argv[1], "epochcast")
    print(f"{'samples per second of processor time':44} {'median':>11} {'smallest':>11} {'largest':>11}")
    for spec in ("synthetic", "synthetic:task=random,shape=3x224x224", "synthetic:task=tokens"):
        n = 20 if "224" in spec else 500
        say(spec, [ours(epochcast, spec, n, 1) for _ in range(RUNS)])
    with tempfile.TemporaryDirectory() as folder:
        if python(MAKE_IMAGES, folder, IMAGES).returncode:
            print("skipped JPEG: images are made by Debian's python3-pil and python3-numpy")
            return
        for workers in (0, 2):
            compare(epochcast, pathlib.Path(folder), workers)


if __name__ == "__main__":
    main()
