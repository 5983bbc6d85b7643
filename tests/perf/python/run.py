#!/usr/bin/env python3
"""tests/perf/python/run.py BUILD [--json]: what the package of Python adds to the library's time for a prediction, and what
watching adds to a step. Times are of this thread's processor, the least of several rounds, so that others do not count."""
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
PREDICTIONS, STEPS, ROUNDS = 1000, 20000, 15


def least_us(function, n):
    """us of a call"""
    best = float("inf")
    for _ in range(ROUNDS):
        before = time.thread_time_ns()
        for _ in range(n):
            function()
        best = min(best, time.thread_time_ns() - before)
    return best / n / 1e3


def main():
    os.environ.setdefault("EPOCHCAST_LIBRARY", str(pathlib.Path(sys.argv[1]).resolve() / "libepochcast.so"))
    import epochcast
    from epochcast import _library
    conditions = dict(batch=64, precision="amp")
    request = json.dumps({**conditions, "model": "mnist_cnn", "device": "t4"}).encode()
    _library.ask(request)
    own = _library._of_thread.predictor

    def library():
        own.call(own.pointer, request, own.at_answer, own.at_err)

    def predicted():
        return epochcast.predict("mnist_cnn", "t4", **conditions)
    alone = least_us(library, PREDICTIONS)
    asked = least_us(predicted, PREDICTIONS)
    read = least_us(lambda: predicted().step_time_ns, PREDICTIONS)
    w = epochcast.watch(epochcast.predict("mnist_cnn", "t4"), steps=10**9, say=None)
    step = least_us(w.step, STEPS)
    numbers = range(STEPS)

    def plain():
        for _ in numbers:
            pass

    def watched():
        for _ in epochcast.watch(steps=10**9, say=None)(numbers):
            pass
    item = (least_us(watched, 1) - least_us(plain, 1)) / STEPS
    figures = {"library_us": alone, "predict_adds_us": asked - alone, "with_the_answer_read_us": read - alone,
               "watch_step_us": step, "watch_item_us": item}
    if "--json" in sys.argv:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:26s}{value:8.2f}")


if __name__ == "__main__":
    main()
