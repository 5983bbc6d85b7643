#!/usr/bin/env python3
"""The composition study of a small network by the engine, and again by PyTorch where it is there.

    tests/measure/composition.py BUILD/epochcast
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

PYTHON = "/usr/bin/python3"
SOURCES = pathlib.Path(__file__).resolve().parents[2] / "python"
WAYS = ("justus", "isolated", "no_loss", "needed", "marginal", "company")


def checked(rows, who):
    if [r["network"] for r in rows] != ["mnist_cnn"] or any(float(rows[0][f"{w}_ratio"]) <= 0 for w in WAYS):
        sys.exit(f"FAILED composition: {who}: {rows}")
    print(f"ok composition: {who}")


def main():
    epochcast = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        layers = os.path.join(folder, "layers.csv")
        out = subprocess.run([epochcast, "study", "composition", "mnist_cnn", "--batch", "4", "--threads", "1",
                              "--budget", "0.05", "--layers", layers, "--csv"],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        checked(list(csv.DictReader(out.splitlines())), "the engine")
        if subprocess.run([PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False).returncode:
            print("skipped composition by PyTorch: python3-torch is not installed")
            return
        out = subprocess.run([PYTHON, "-B", "-m", "epochcast.collect.composition", layers, "--budget", "0.05"], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=SOURCES).stdout
        checked(list(csv.DictReader(out.splitlines())), "PyTorch")


main()
