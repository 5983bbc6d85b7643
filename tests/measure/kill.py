#!/usr/bin/env python3
"""Kills a campaign at random moments and goes on: no finished row is lost, none is there twice.

    tests/measure/kill.py BUILD/epochcast [--kills N] [--seed N]
"""
import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
import time


def rows_of(path):
    """Whole lines only: the last one may be torn."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as f:
        text = f.read()
    return list(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()))


def second_is_told(command, out):
    """Two campaigns write no file together: the second ends and names the first."""
    words = [*command[:command.index("--count")], "--count", "100000", "--out", out]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        while not os.path.exists(out) and first.poll() is None:
            time.sleep(0.005)
        time.sleep(0.05)
        runs = first.poll() is None
        second = subprocess.run([*words, "--resume"], capture_output=True, text=True, check=False)
        first.kill()
    if runs and (second.returncode != 1 or f"{out}: is in use by process {first.pid} (" not in second.stderr):
        sys.exit(f"FAILED kill: a second campaign: status {second.returncode}: {second.stderr}")
    return runs


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("epochcast")
    p.add_argument("--kills", type=int, default=20)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "rows.csv")
        command = [os.path.abspath(args.epochcast), "measure", "layers", "--backend", "sim", "--op",
                   "conv2d,linear,relu,batch_norm", "--count", "120", "--seed", "3", "--out", out, "--resume"]
        seen, killed = {}, 0
        for _ in range(args.kills):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(rng.uniform(0.005, 0.08))
                killed += process.poll() is None
                process.kill()
            rows = rows_of(out)
            now = {r["key"]: r["samples_ns"] for r in rows}
            if len(now) != len(rows):
                sys.exit(f"FAILED kill: {len(rows) - len(now)} rows are there twice")
            lost = [k for k, v in seen.items() if now.get(k) != v]
            if lost:
                sys.exit(f"FAILED kill: {len(lost)} finished rows were lost or changed")
            seen = now
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = rows_of(out)
        keys = {r["key"] for r in rows}
        whole = os.path.join(folder, "whole.csv")
        command[command.index(out)] = whole
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if len(keys) != len(rows) or keys != {r["key"] for r in rows_of(whole)}:
            sys.exit("FAILED kill: the pieces are not the campaign that was never killed")
        if not second_is_told(command, os.path.join(folder, "shared.csv")):
            sys.exit("FAILED kill: the first campaign ended too soon")
    print(f"ok kill: {killed} of {args.kills} kills while it ran, {len(rows)} rows, none lost, none twice")


main()
