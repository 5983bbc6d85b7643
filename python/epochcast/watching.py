"""A running loop beside its prediction: is it normal, and when will it end?"""
import argparse
import array
import csv
import itertools
import os
import sys
import time

from .prediction import Prediction

_LEFT_OUT = 3          # first steps: compilation, caches, clocks that rise
_CHECK_STEPS = 20      # steps after which the run is judged ...
_CHECK_NS = 20e9       # ... or time, with at least _LEAST
_LEAST = 5
_BLOCKS = 16           # means of blocks of steps show how far the mean wanders
_MEDIAN_OF = 4096
_MEAN_OF = 512         # steps, or the later half of all if that is more: a run that has got slower stays so
_DRIFT_FRAC = 0.02     # by which a run gets slower or faster later on, one standard deviation
_T90 = 1.645
_WAIT_WORTH_TELLING = 0.1


def _ns(ns):
    for unit, scale in (("d", 86400e9), ("h", 3600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6)):
        if ns >= scale * (2 if scale > 1e9 else 1):
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e3:.3g} us"


def _clock(at_s, near_s):
    """14:32; with seconds where the interval is short, with the day where it is another."""
    here, now = time.localtime(at_s), time.localtime()
    form = "%H:%M" if near_s > 600 else "%H:%M:%S"
    return time.strftime(form if here[:3] == now[:3] else f"%a %d %b {form}", here)


class Watch:
    """What `watch` returns. `step()` marks the end of a step; calling it with an iterable hands on its items, and also
    knows how long the loop waited for them. It prints one line when the run can be judged, and then one each `every_s`
    seconds.

    >>> import epochcast
    >>> p = epochcast.predict("mnist_cnn", "t4", batch=32)
    >>> w = epochcast.watch(p, steps=1000, say=None)
    >>> for batch in w([0] * 50):
    ...     pass
    >>> w.steps_done, w.step_ns > 0, w.row()["model"]
    (50, True, 'mnist_cnn')
    """

    def __init__(self, prediction=None, steps=None, *, say=print, every_s=60.0):
        self.prediction, self.steps, self.say, self._every_ns = prediction, steps, say, every_s * 1e9
        self._ends, self._waited_ns, self._judged = array.array("q"), 0, False
        self._started_ns = self._next_ns = time.perf_counter_ns()
        self._next_n = _LEFT_OUT + _LEAST

    # A step costs what stands here and in __call__: tests/perf/python holds it to 1 us.
    def step(self):
        """The end of a step. A loop of one's own calls it; an iterable that is watched needs no call."""
        now = time.perf_counter_ns()
        ends = self._ends
        ends.append(now)
        if now >= self._next_ns and len(ends) >= self._next_n:
            self._look(now)

    def __call__(self, iterable):
        """The items of an iterable; each that is asked for after the first ends a step."""
        clock, step, source = time.perf_counter_ns, self.step, iter(iterable)
        while True:
            before = clock()
            try:
                item = next(source)
            except StopIteration:
                return
            waited = clock() - before if len(self._ends) >= _LEFT_OUT else 0
            yield item
            self._waited_ns += waited
            step()

    def __enter__(self):
        return self

    def __exit__(self, kind, _error, _trace):
        if kind is None and self.say and self.steps_done > _LEFT_OUT:
            self.say(f"epochcast: {self.steps_done} steps in {_ns(self._ends[-1] - self._started_ns)}"
                     + (f"; {self.verdict()}" if self.prediction is not None else ""))

    def _look(self, now):
        n = len(self._ends) - _LEFT_OUT
        if not self._judged and n < _CHECK_STEPS and now - self._started_ns < _CHECK_NS:
            return
        if self.say:
            if not self._judged and self.prediction is not None:
                self.say(f"epochcast: {self.verdict()}")
            if self.steps and self.steps > self.steps_done:
                self.say(f"epochcast: step {self.steps_done} of {self.steps}, {self.end_text()}")
        self._judged, self._next_ns = True, now + self._every_ns

    @property
    def steps_done(self):
        return len(self._ends)

    def _counted(self):
        """The ends of the steps that count: the first is where they begin."""
        return _LEFT_OUT if len(self._ends) > _LEFT_OUT + 1 else 0

    @property
    def step_ns(self):
        """The median time of a step, of the last 4096, in ns; None: too few."""
        ends = self._ends[max(self._counted(), len(self._ends) - _MEDIAN_OF - 1):]
        times = sorted(b - a for a, b in zip(ends, ends[1:]))
        return times[len(times) // 2] if times else None

    @property
    def waiting_frac(self):
        """The share of the time in which the loop waited for its iterable, 0 to 1."""
        counted = self._ends[-1] - self._ends[_LEFT_OUT - 1] if len(self._ends) > _LEFT_OUT else 0
        return min(1.0, self._waited_ns / counted) if counted else 0.0

    def verdict(self):
        """Whether the run is as predicted, in a sentence."""
        predicted, measured = self.prediction.step_time_ns, self.step_ns
        if measured is None:
            return "too few steps to tell"
        ratio = measured / predicted
        beside = f"{_ns(measured)} a step, predicted {_ns(predicted)} (90 %: {_ns(predicted.p05)} to {_ns(predicted.p95)})"
        waits = f"{100 * self.waiting_frac:.0f} % of the time goes by waiting for batches"
        if predicted.p05 <= measured <= predicted.p95:
            return f"as predicted: {beside}" + (f"; {waits}" if self.waiting_frac > _WAIT_WORTH_TELLING else "")
        if ratio > 1 and measured * (1 - self.waiting_frac) <= predicted.p95:
            return f"{ratio:.2g} times slower than predicted: the loader; {waits}; {beside}"
        why = self._likely()
        return f"{max(ratio, 1 / ratio):.2g} times {'slower' if ratio > 1 else 'faster'} than predicted: {beside}" \
            + (f"; {why}" if why else "")

    def _likely(self):
        from . import ask
        from ._library import EpochcastError
        try:
            return ask.evaluate([self.row()])[0]["likely_text"]
        except (EpochcastError, IndexError):
            return None  # of a network that a table cannot name

    def end(self):
        """When the last step will have ended, in seconds since 1970: (median, 5 %, 95 %). None: no number of steps was
        given, or there are too few.

        >>> import epochcast, time
        >>> w = epochcast.watch(steps=100, say=None)
        >>> for _ in w(range(20)):
        ...     time.sleep(0.001)
        >>> middle, low, high = w.end()
        >>> low <= middle <= high and 0.05 < middle - time.time() < 1
        True
        """
        ends, first = self._ends, self._counted()
        n = len(ends) - 1 - first
        if not self.steps or n < 2:
            return None
        left = max(0, self.steps - self.steps_done)
        recent = min(n, max(_MEAN_OF, n // 2))
        first, n = first + n - recent, recent
        mean = (ends[-1] - ends[first]) / n
        size = max(1, n // _BLOCKS)
        blocks = [(ends[i + size] - ends[i]) / size for i in range(first, len(ends) - size, size)]
        spread = sum((b - mean) ** 2 for b in blocks) / max(1, len(blocks) - 1)
        sd = left * (spread / len(blocks) + spread * size / max(left, size) + (_DRIFT_FRAC * mean) ** 2) ** 0.5
        at = time.time() + (ends[-1] - time.perf_counter_ns()) / 1e9
        wide = _T90 * (1 + 2 / len(blocks)) * sd
        return tuple(at + max(0, left * mean + sign * wide) / 1e9 for sign in (0, -1, 1))

    def end_text(self):
        """"done at 14:32, 90 %: 14:20 to 14:51"."""
        end = self.end()
        if end is None:
            return "too few steps to say when it ends"
        return f"done at {_clock(end[0], end[2] - end[1])}, 90 %: {_clock(end[1], end[2] - end[1])} to " \
               f"{_clock(end[2], end[2] - end[1])}"

    def row(self):
        """The measurement as a row for `calibrate` and `evaluate`: the prediction's conditions and `step_time_ms`."""
        p = self.prediction
        if p is None:
            return {"step_time_ms": self.step_ns / 1e6}
        told = p.to_dict()  # of one without images it has no image_px, and so on
        row = {"model": p._network.source if p._network else p.model, "batch": p.batch_per_device, "num_devices": p.devices}
        row.update((key, told.get(key)) for key in ("device", "precision", "optimizer", "framework", "mode", "layout", "seq_len",
                                                    "image_px"))
        return dict({key: value for key, value in row.items() if value}, step_time_ms=self.step_ns / 1e6)

    def save(self, path):
        """Appends `row()` to a CSV, which `calibrate` and `evaluate` read."""
        row = self.row()
        with open(path, "a+", encoding="utf-8", newline="") as f:
            f.seek(0)
            names = next(csv.reader(f), None)
            f.seek(0, os.SEEK_END)
            writer = csv.DictWriter(f, names or list(row), extrasaction="ignore")
            if not names:
                writer.writeheader()
            writer.writerow(row)

    def callback(self):
        """A callback for the Trainer of Hugging Face's transformers, which must be importable."""
        from transformers import TrainerCallback  # type: ignore
        own = self

        class Callback(TrainerCallback):
            def on_train_begin(self, _args, state, _control, **_more):
                own.steps = own.steps or state.max_steps

            def on_step_end(self, _args, _state, _control, **_more):
                own.step()
        return Callback()


def watch(prediction=None, steps=None, *, say=print, every_s=60.0):
    """Watches a training loop: says after its first steps whether it is as predicted, and when it will end.

    prediction  a Prediction of what runs; None: only the end is told
    steps       of the whole run, for its end; None: unknown
    say         what takes the lines; None: nothing is printed
    every_s     seconds between lines
    Returns a Watch. Wrap what the loop iterates over, or call its `step()`:

        w = epochcast.watch(epochcast.predict(model, x, device="rtx4090"), steps=epochs * len(loader))
        for epoch in range(epochs):
            for x, y in w(loader):
                ...
        w.save("mine.csv")    # a row for epochcast.calibrate

    >>> import epochcast
    >>> with epochcast.watch(steps=100) as w:    # doctest: +ELLIPSIS
    ...     for _ in range(100):
    ...         w.step()
    epochcast: step ... of 100, done at ...
    epochcast: 100 steps in ...
    """
    if prediction is not None and not isinstance(prediction, Prediction):
        raise TypeError(f"prediction: expected what epochcast.predict returns, found {type(prediction).__name__}")
    return Watch(prediction, steps, say=say, every_s=every_s)


# ------------------------------------------------------------------------------------------------
# Logs

def read_log(path):
    """The steps and their times of a log, as `epochcast check --from` reads them; "-": of standard input.

    Returns (last step, steps or None, list of (steps, seconds) between lines that say both)
    """
    from . import _library
    answer = _library.command_json("check", "--from", path)
    return answer["step"], answer.get("steps"), [(round(steps), seconds) for steps, seconds in answer["spans"]]


def main(argv):
    from . import ask
    from ._library import EpochcastError
    parser = argparse.ArgumentParser(prog="epochcast watch", description="Reads the log of a run: lines with a step "
                                     "(\"step 120/5000\", a bar of tqdm) and a time or a rate, or a table of them.")
    parser.add_argument("--from", dest="log", required=True, metavar="FILE", help="the log; - reads standard input")
    parser.add_argument("--steps", type=int, help="of the whole run, where the log does not say it")
    parser.add_argument("--model", help="with --device: compare with the prediction")
    parser.add_argument("--device")
    parser.add_argument("options", nargs="*", metavar="KEY=VALUE", help="conditions of the prediction: batch=64 precision=amp")
    given = parser.parse_args(argv)
    try:
        last, total, spans = read_log(given.log)
        prediction = None
        if given.model or given.device:
            if not (given.model and given.device):
                raise EpochcastError("--model and --device go together")
            prediction = ask.predict(given.model, given.device, **dict(o.partition("=")[::2] for o in given.options))
        print(_tell(last, given.steps or total, spans, prediction))
    except (EpochcastError, OSError) as error:
        print(f"epochcast watch: {error}", file=sys.stderr)
        return 1
    return 0


def _tell(last, total, spans, prediction):
    own = Watch(prediction, total, say=None)
    at = time.perf_counter_ns()
    left_out = min(len(spans) - 1, 1)  # the first line waits for the start
    times = [int(seconds / steps * 1e9) for steps, seconds in spans[left_out:] for _ in range(min(steps, 100000))]
    ends = list(itertools.accumulate([at - sum(times), *times]))  # the last step ends now
    own._ends = array.array("q", [ends[0]] * _LEFT_OUT + ends)
    lines = [own.verdict() if prediction is not None else f"{_ns(own.step_ns)} a step"]
    if total and total > last:
        own.steps = total - last + own.steps_done
        lines.append(f"step {last} of {total}, {own.end_text()}")
    return "\n".join(lines)
