#!/usr/bin/env python3
"""Speed of training a dense network: tests/perf/learn/run.py BUILD

The same network, rows, batch and optimizer by our loops and by PyTorch and scikit-learn where they
are installed, one thread each, in turns; seconds of processor time, median, smallest, largest, and
the median of each turn's ratio to ours.
"""
import os
import statistics
import subprocess
import sys

ROWS, COLUMNS, EPOCHS, TURNS = 20000, 60, 5, 7
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
              "OPENBLAS_NUM_THREADS": "1"}

TORCH = """
import sys, time, torch
n, d, epochs = map(int, sys.argv[1:])
torch.set_num_threads(1); torch.manual_seed(1)
x = torch.rand(n, d); y = (6 * x[:, 0] ** 2 + x[:, 1] * x[:, 2] - x[:, 3])[:, None]
nn = torch.nn
net = nn.Sequential(nn.Linear(d, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU(),
                    nn.Linear(128, 64), nn.SiLU(), nn.Linear(64, 1))
adam = torch.optim.AdamW(net.parameters(), lr=0.003, weight_decay=0.05)
loss = nn.HuberLoss(delta=0.3)
kept, held = x[n // 10:], x[:n // 10]
start = time.process_time()
for _ in range(epochs):
    for part in torch.randperm(len(kept)).split(64):
        adam.zero_grad()
        loss(net(kept[part]), y[n // 10:][part]).backward()
        adam.step()
    with torch.no_grad():
        loss(net(held), y[:n // 10])
print(time.process_time() - start)
"""

SKLEARN = """
import sys, time, numpy, warnings
from sklearn.neural_network import MLPRegressor
warnings.simplefilter("ignore")
n, d, epochs = map(int, sys.argv[1:])
x = numpy.random.default_rng(1).random((n, d), dtype=numpy.float32)
y = 6 * x[:, 0] ** 2 + x[:, 1] * x[:, 2] - x[:, 3]
net = MLPRegressor((128, 128, 64), batch_size=64, learning_rate_init=0.003, max_iter=epochs,
                   early_stopping=True, n_iter_no_change=epochs, random_state=1)
start = time.process_time()
net.fit(x, y)
print(time.process_time() - start)
"""


def seconds(argv):
    done = subprocess.run([*argv, str(ROWS), str(COLUMNS), str(EPOCHS)], capture_output=True,
                          text=True, env=ONE_THREAD)
    return float(done.stdout) if done.returncode == 0 else None


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    contenders = {"epochcast": [os.path.join(build, "tests/perf/perf-learn-train")],
                  "PyTorch": [sys.executable, "-c", TORCH],
                  "scikit-learn (ReLU)": [sys.executable, "-c", SKLEARN]}
    times = {name: [] for name in contenders}
    for _ in range(TURNS):
        for name, argv in contenders.items():
            times[name].append(seconds(argv))
    print(f"{ROWS} rows of {COLUMNS} columns, {EPOCHS} epochs of batches of 64, layers 128, 128, 64")
    for name, all_s in times.items():
        if None in all_s:
            print(f"{name:22} is not here")
            continue
        ratio = statistics.median(s / own for s, own in zip(all_s, times["epochcast"]))
        print(f"{name:22} {statistics.median(all_s):8.3f} s ({min(all_s):.3f} to {max(all_s):.3f})"
              f"  {ratio:6.2f} times ours")


if __name__ == "__main__":
    main()
