#!/usr/bin/python3
"""tests/perf/python/watch.py [RUNS [SECONDS]]: trainings in PyTorch on this processor, each in a process of its own, and how far
the end that `epochcast.watch` foresees after 5 % of the steps lies from the true one, as a share of the whole run. Run it on a
machine that does nothing else: the end is foreseen under the assumption that other work stays as it is."""
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
SEEN_FRAC, AIM_FRAC = 0.05, 0.05
# torchvision's network, side of its images, batch
RUNS = (("resnet18", 64, 16), ("mobilenet_v2", 64, 16), ("squeezenet1_1", 96, 16), ("mnasnet0_5", 64, 32), ("resnet34", 48, 16))


def train(name, side_px, batch, seconds):
    """Trains for about so long; returns the end as foreseen and the interval, in s after the true end, and the run's s."""
    import torch
    import torchvision
    import epochcast
    torch.manual_seed(1)
    model = torchvision.models.get_model(name, num_classes=10) if hasattr(torchvision.models, "get_model") \
        else getattr(torchvision.models, name)(num_classes=10)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    images, labels = torch.randn(8 * batch, 3, side_px, side_px), torch.randint(10, (8 * batch,))

    def step(i):
        rows = slice(i % 8 * batch, (i % 8 + 1) * batch)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images[rows]), labels[rows]).backward()
        optimizer.step()
    for i in range(3):
        step(i)
    before = time.perf_counter()
    for i in range(5):
        step(i)
    steps = max(100, int(seconds / ((time.perf_counter() - before) / 5)))
    seen, began = None, time.time()
    w = epochcast.watch(steps=steps, say=None)
    for i in w(range(steps)):
        step(i)
        if w.steps_done >= SEEN_FRAC * steps and seen is None:
            seen = w.end()
    ended = time.time()
    return [at - ended for at in seen] + [ended - began]


def main():
    if sys.argv[1:2] == ["--one"]:
        print(*train(sys.argv[2], *map(int, sys.argv[3:6])))
        return
    runs, seconds = (int(word) for word in (sys.argv[1:] + ["10", "60"][len(sys.argv) - 1:]))
    off, inside = [], 0
    for i in range(runs):
        name, side_px, batch = RUNS[i % len(RUNS)]
        told = subprocess.run([sys.executable, __file__, "--one", name, str(side_px), str(batch), str(seconds)],
                              check=True, capture_output=True, text=True).stdout
        middle_s, low_s, high_s, run_s = map(float, told.split())
        off.append(abs(middle_s) / run_s)
        inside += low_s <= 0 <= high_s
        print(f"{name:16s}{run_s:7.1f} s, end foreseen {100 * middle_s / run_s:+6.2f} % of the run, "
              f"90 %: {100 * low_s / run_s:+.1f} to {100 * high_s / run_s:+.1f} %", flush=True)
    print(f"{sum(x <= AIM_FRAC for x in off)} of {runs} within {100 * AIM_FRAC:.0f} %, median {100 * statistics.median(off):.1f} %, "
          f"worst {100 * max(off):.1f} %; {inside} inside their intervals")


if __name__ == "__main__":
    main()
