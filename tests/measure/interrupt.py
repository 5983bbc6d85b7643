#!/usr/bin/env python3
"""Interrupts commands that measure and train: they say what is kept, end with the signal's status, and go on.

    tests/measure/interrupt.py BUILD/epochcast
"""
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time

EPOCHCAST = os.path.abspath(sys.argv[1])
PATIENCE_S = 120


def fail(why):
    sys.exit(f"FAILED interrupt: {why}")


def rows(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def lines(path):
    if not os.path.exists(path):
        return 0
    with open(path, encoding="utf-8") as f:
        return f.read().count("\n")


def interrupted(folder, words, begun, number=signal.SIGINT, again=False):
    """Sends the signal when begun() says that work is under way; returns status, answer and talk."""
    talk = os.path.join(folder, "talk.txt")
    with open(talk, "w", encoding="utf-8") as err, \
            subprocess.Popen([EPOCHCAST, *words], cwd=folder, stdout=subprocess.PIPE, stderr=err, text=True) as process:
        end = time.monotonic() + PATIENCE_S
        while not begun(talk):
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                fail(f"{' '.join(words)} ended, or did not begin: {open(talk, encoding='utf-8').read()}")
            time.sleep(0.005)
        process.send_signal(number)
        while again and process.poll() is None and time.monotonic() < end:
            time.sleep(0.1)  # two that a busy machine delivers together are one
            process.send_signal(number)
        answer = process.communicate(timeout=PATIENCE_S)[0]
    with open(talk, encoding="utf-8") as f:
        return process.returncode, answer, f.read()


def goes_on(folder, words):
    done = subprocess.run([EPOCHCAST, *words, "--resume"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(f"{' '.join(words)} does not go on: {done.stderr}")


def campaign(folder, words, out, number=signal.SIGINT):
    """A campaign's first row is there; what was not measured is by --resume, and nothing twice."""
    path = os.path.join(folder, out)
    status, _, talk = interrupted(folder, words, lambda _: lines(path) > 1, number)
    if status != 128 + number or f"interrupted; {out} has the finished measurements, --resume continues" not in talk:
        fail(f"{' '.join(words)}: status {status}: {talk}")
    before = lines(path)
    goes_on(folder, words)
    if lines(path) <= before:
        fail(f"{' '.join(words)}: nothing was left to do")


def layers(folder):
    words = ["measure", "layers", "--backend", "ref", "--threads", "1", "--op", "linear", "--count", "8", "--max-flop",
             "1e6", "--budget", "0.1", "--max-runs", "1000000", "--ci-frac", "0"]
    campaign(folder, [*words, "--out", "layers.csv"], "layers.csv")
    campaign(folder, [*words, "--out", "ended.csv"], "ended.csv", signal.SIGTERM)
    keys = [r["key"] for r in rows(os.path.join(folder, "layers.csv"))]
    if len(set(keys)) != len(keys) or len({r["what"] for r in rows(os.path.join(folder, "layers.csv"))}) != 8:
        fail("measure layers: not every case once")


def last_of_a_grid(folder):
    """The configuration that is cut short is the only one: nothing follows that would be left out."""
    words = ["measure", "grid", "--family", "mlp", "--param", "hidden=64", "--batch", "8", "--backend", "ref",
             "--threads", "1", "--samples", "4096", "--epochs", "2", "--curves", "curves.csv", "--out", "grid.csv"]
    status, _, talk = interrupted(folder, words, lambda _: lines(os.path.join(folder, "curves.csv")) > 1)
    if status != 130 or "grid.csv has" not in talk or lines(os.path.join(folder, "grid.csv")) != 1:
        fail(f"measure grid: status {status}: {talk}")
    goes_on(folder, words)


def training(folder):
    words = ["train", "mnist_cnn", "--data", "synthetic:train=256,test=8", "--batch", "16", "--backend", "ref",
             "--threads", "1", "--epochs", "3", "--seed", "1"]

    def epoch_told(talk):
        return lines(talk) > 1

    status, answer, talk = interrupted(folder, [*words, "--checkpoint", "ck"], epoch_told)
    if status != 130 or "a checkpoint is in ck, --resume continues" not in talk or "stopped" not in answer:
        fail(f"train: status {status}: {answer}{talk}")
    goes_on(folder, [*words, "--checkpoint", "ck"])
    status, _, talk = interrupted(folder, words, epoch_told)
    if status != 130 or "without --checkpoint nothing is kept" not in talk:
        fail(f"train without a checkpoint: status {status}: {talk}")
    stopped = subprocess.run([EPOCHCAST, *words, "--max-iters", "2"], cwd=folder, capture_output=True, check=False)
    if stopped.returncode:
        fail(f"train --max-iters: status {stopped.returncode}")


def study(folder):
    words = ["study", "composition", "mlp", "--batch", "2,64", "--backend", "ref", "--threads", "1", "--turns", "1",
             "--budget", "0.01", "--csv"]

    def second(talk):
        with open(talk, encoding="utf-8") as f:
            told = [int(line.split()[0]) for line in f if " times of layers" in line and line[0].isdigit()]
        return any(b < a for a, b in zip(told, told[1:]))

    status, answer, talk = interrupted(folder, words, second)
    if status != 130 or "1 of 2 networks are done" not in talk or len(answer.splitlines()) != 2:
        fail(f"study: status {status}: {answer}{talk}")


def twice(folder):
    """The second signal ends the process at once."""
    words = ["measure", "layers", "--backend", "ref", "--threads", "1", "--cases", "large.txt", "--out", "twice.csv"]
    with open(os.path.join(folder, "large.txt"), "w", encoding="utf-8") as f:
        f.write("conv2d n=64 c=256 h=112 w=112 k=256 r=3 pad=1\n")
    status, _, _ = interrupted(folder, words, lambda _: lines(os.path.join(folder, "twice.csv")) > 0, again=True)
    if status != -signal.SIGINT:
        fail(f"a second Ctrl-C: status {status}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case in layers, last_of_a_grid, training, study, twice:
            case(folder)
    print("ok interrupt: layers, a grid's last configuration, training, a study; a second signal ends at once")


main()
