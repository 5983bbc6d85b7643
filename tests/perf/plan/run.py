#!/usr/bin/env python3
"""Speed of plans: tests/perf/plan/run.py BUILD [REPETITIONS]

Whole searches, each a median over repetitions with the smallest and the largest: processor time of
all threads, so that what else runs on the machine does not count, and resident memory.
"""
import os
import re
import statistics
import subprocess
import sys

DEVICES = ["8..64", "8..512"]


def search(epochcast, devices):
    """Processor seconds, resident MB, configurations."""
    argv = [epochcast, "plan", "llama3_70b", "--device", "h100,h200,b200", "--devices", devices,
            "--tokens", "100B", "--deadline", "300d"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"([\d,]+) configurations are possible: ([\d,]+) predicted",
                      process.stdout.read())
    status, used = os.wait4(process.pid, 0)[1:]
    assert status == 0 and found
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, *found.groups()


def main():
    epochcast = os.path.join(sys.argv[1], "epochcast")
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print(f"{'llama3_70b, h100,h200,b200':28} {'possible':>9} {'predicted':>9} {'median':>8} "
          f"{'smallest':>8} {'largest':>8} {'MB':>5}")
    for devices in DEVICES:
        runs = [search(epochcast, devices) for _ in range(repetitions)]
        seconds = [run[0] for run in runs]
        print(f"{'--devices ' + devices:28} {runs[0][2]:>9} {runs[0][3]:>9} "
              f"{statistics.median(seconds):6.1f} s {min(seconds):6.1f} s {max(seconds):6.1f} s "
              f"{max(run[1] for run in runs):5.0f}")


if __name__ == "__main__":
    main()
