#!/usr/bin/env python3
"""Times each command that reads tables over tables of growing size in several forms, and prints how the time grows.

    run.py BUILD [--rows 1000,10000,100000] [--limit SECONDS] [--only PATTERN]

A column of the table is a size; `growth` is the last time over the one before it. The exit status is 1 where ten times
the rows take more than GROWTH_MAX times as long, or a command ends by a signal.
"""
import argparse
import fnmatch
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

import forms

GROWTH_MAX = 20.0  # ten, and more for sorting, for data beyond the caches, and for a busy machine; a square is 100
SHORT_S = 0.2  # what is shorter is the start of the program


def measure(program, line, make, n, limit_s):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.csv")
        forms.write(table, make, n)
        command = [program] + line.format(table=table, dir=folder).split()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder,
                              env={**os.environ, "LC_ALL": "C"},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s)))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and used > 0.9 * limit_s:
            return None, "took too long"
        if done.returncode < 0:
            return used, f"ended by signal {-done.returncode}"
        return used, done.stderr.decode(errors="replace").strip().split("\n")[0] if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", default="1000,10000,100000")
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds of a command")
    parser.add_argument("--only", default="*", help="pattern of COMMAND/FORM")
    args = parser.parse_args()
    sizes = [int(n) for n in args.rows.split(",")]
    program = str(args.build.resolve() / "epochcast")
    bad = 0

    print(f"{'command':14} {'form':13}" + "".join(f"{n:>11,}" for n in sizes) + "   growth  CPU seconds by rows")
    for name, line, form, make in forms.cases():
        if not fnmatch.fnmatch(f"{name}/{form}", args.only):
            continue
        times, note = [], ""
        for n in sizes:
            used, note = measure(program, line, make, n, args.limit)
            times.append(used)
            if used is None or note.startswith("ended by"):
                break
        known = [t for t in times if t is not None]
        growth = known[-1] / max(known[-2], SHORT_S) if len(known) > 1 else 0
        # of sizes ten apart; `took too long` counts with the limit
        if times[-1] is None and len(times) > 1:
            growth = args.limit / max(times[-2], SHORT_S)
        wrong = growth > GROWTH_MAX or times[-1] is None or note.startswith("ended by")
        bad += wrong
        cells = "".join(f"{t:11.2f}" if t is not None else f"{'> ' + str(args.limit):>11}" for t in times)
        print(f"{name:14} {form:13}{cells:{11 * len(sizes)}} {growth:8.1f}  {'BAD ' if wrong else ''}{note[:110]}", flush=True)
    print(f"{bad} of these grow faster than their table" if bad else "nothing grows faster than its table")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
