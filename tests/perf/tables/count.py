#!/usr/bin/env python3
"""Counts, for each command that reads tables and each form of table, the calls of string functions over tables of two sizes,
the second FACTOR times the first. Comparing each row with each other one would make them grow with the square.

    count.py EPOCHCAST LIBRARY
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import forms

ROWS, FACTOR = 400, 4
# times the factor: a sort of four times the rows has a fifth more steps a row; a square would be 4
GROWTH_MAX = 1.8
CALLS_MIN = 20_000  # below, it is the start of the program


def count(program, library, line, make, n):
    with tempfile.TemporaryDirectory() as folder:
        table, out = os.path.join(folder, "table.csv"), os.path.join(folder, "count")
        forms.write(table, make, n)
        done = subprocess.run([program] + line.format(table=table, dir=folder).split(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, cwd=folder, timeout=500,
                              env={**os.environ, "LD_PRELOAD": library, "EC_COUNT": out, "OMP_NUM_THREADS": "1"})
        if done.returncode < 0 or done.returncode > 2:
            raise RuntimeError(f"{line}: ended by {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
        with open(out) as f:
            return int(f.read())


def judge(args):
    program, library, (name, line, form, make) = args
    small, large = (count(program, library, line, make, n) for n in (ROWS, ROWS * FACTOR))
    growth = (large - small) / max(small, CALLS_MIN) / (FACTOR - 1)
    return name, form, small, large, growth


def main():
    program, library = (os.path.realpath(path) for path in sys.argv[1:])
    # a program that does not count is no test
    assert count(program, library, "analyse {table} --no-predict", forms.ROWS["environments"], ROWS) > CALLS_MIN
    asked = [(program, library, case) for case in forms.cases() if case[0] not in forms.SLOW]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, form, small, large, growth in pool.map(judge, asked):
            if growth > GROWTH_MAX:
                bad += 1
                print(f"{name}, {form}: {small} calls over {ROWS} rows, {large} over {ROWS * FACTOR}: "
                      f"{growth:.1f} times what their number explains, at most {GROWTH_MAX}")
    print(f"{len(asked)} commands and forms, {bad} grow faster than their table")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
