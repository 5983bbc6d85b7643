#!/usr/bin/env python3
"""Scaling over one and two processes: rows of steps and of all-reduce, and the table over both.

    tests/measure/ddp.py EPOCHCAST

Left out, with a sentence, where mpirun or the module is missing.
"""
import csv
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# OpenMPI keeps memory until the process ends, in modules that are gone by the time it is looked for.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"

EPOCHCAST = os.path.abspath(sys.argv[1])


def command_of(ranks, out, batches, iterations):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), EPOCHCAST, "measure", "ddp",
            "mnist_cnn", "--batch", batches, "--backend", "ref", "--threads", "1", "--max-iters", str(iterations),
            "--warmup-iters", "1", "--out", out, "--resume"]


def measure(folder, ranks):
    done = subprocess.run(command_of(ranks, "rows.csv", "4", 4), capture_output=True, text=True, timeout=200,
                          cwd=folder)
    if done.returncode:
        sys.exit(f"FAILED ddp: {ranks} processes: {done.stderr}")
    return done.stdout


def rows(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def interrupt_the_second(folder):
    """One process is asked to end: all end, and the first one says so with the status of the signal."""
    out = pathlib.Path(folder) / "cut.csv"
    with subprocess.Popen(command_of(2, out.name, "4,32,64,128,256", 20), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, cwd=folder) as mpirun:
        while mpirun.poll() is None and (not out.exists() or out.read_text(encoding="utf-8").count("\n") < 3):
            time.sleep(0.01)
        ranks = subprocess.run(["pgrep", "-P", str(mpirun.pid)], capture_output=True, text=True, check=False).stdout
        os.kill(int(ranks.split()[1]), signal.SIGINT)
        answer, talk = mpirun.communicate(timeout=100)
    sentence = "interrupted; cut.csv has the finished measurements, --resume continues"
    if mpirun.returncode != 130 or talk.count(sentence) != 1 or "rows added" not in answer:
        sys.exit(f"FAILED ddp: interrupted: status {mpirun.returncode}: {answer}{talk}")


def strategy(folder):
    """Sums of layers beside the step of two processes, and a lone layer's row."""
    base = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", EPOCHCAST]
    fixed = ["--backend", "ref", "--threads", "1", "--max-iters", "2", "--warmup-iters", "0"]
    done = subprocess.run(base + ["study", "strategy", "lenet5", "--batch", "2", "--turns", "1", "--csv", "--layers",
                                  "layers.csv"] + fixed, capture_output=True, text=True, timeout=200, cwd=folder)
    ways = [r["way"].split(":")[0] for r in csv.DictReader(done.stdout.splitlines())]
    inside = [r["inside_ns"] for r in rows(f"{folder}/layers.csv")]
    if ways[3:6] != ["practicum-1", "practicum-2", "practicum-3"] or len(inside) < 5 or not all(map(float, inside)):
        sys.exit(f"FAILED ddp: study strategy: {done.stdout}{done.stderr}")
    done = subprocess.run(base + ["measure", "ddp", "--op", "linear m=4 k=3 n=5", "--activation", "relu", "--out",
                                  "layer.csv"] + fixed, capture_output=True, text=True, timeout=200, cwd=folder)
    found = [(r["what"], r["num_devices"], r["method"], r["activation"]) for r in rows(f"{folder}/layer.csv")
             if r["kind"] == "operator"]
    if found != [("linear m=4 k=3 n=5", "2", "justus", "relu")]:
        sys.exit(f"FAILED ddp: a layer: {found} {done.stdout}{done.stderr}")


def main():
    if not shutil.which("mpirun") or not (pathlib.Path(EPOCHCAST).parent / "epochcast-mpi.so").exists():
        print("skipped ddp: mpirun or epochcast-mpi.so is not here (openmpi-bin, libopenmpi-dev)")
        return
    with tempfile.TemporaryDirectory() as folder:
        strategy(folder)
        measure(folder, 1)
        answer = measure(folder, 2)
        again = measure(folder, 2)
        interrupt_the_second(folder)
        written = rows(f"{folder}/rows.csv")
        steps = [(r["num_devices"], r["batch"]) for r in written if r["kind"] == "network"]
        reduces = [r["what"] for r in written if r["kind"] == "ceiling" and r["num_devices"] == "2"]
        table = rows(f"{folder}/rows-scaling.csv")
        for what, fine in {
                "a step of each number of processes": steps == [("1", "4"), ("2", "4")],
                "all-reduce over sizes": len(reduces) >= 5 and len(set(reduces)) == len(reduces),
                "samples": all(len(r["samples_ns"].split()) == 4 for r in written),
                "the table": [r["ranks"] for r in table] == ["1", "2"] and float(table[1]["all_reduce_ns"]) > 0,
                "the answer": "speed-up" in answer and "all-reduce" in answer,
                "steps beside predictions": "90 % interval" in answer,
                "nothing measured twice": " 0 rows added" in again}.items():
            if not fine:
                sys.exit(f"FAILED ddp: {what}: {answer}")
    print("ok ddp: steps and all-reduce of one and two processes, an interrupted one")


main()
