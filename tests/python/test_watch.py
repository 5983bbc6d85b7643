"""Watching a loop: with a clock of our own, so that nothing depends on this machine."""
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

import epochcast
from epochcast import watching


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self):
        self.ns = 10**15
        self.started = time.time()

    def perf_counter_ns(self):
        return self.ns

    def time(self):
        return self.started + (self.ns - 10**15) / 1e9


def watched(step_ns, steps, total=None, wait_ns=lambda _i: 0, prediction=None, **options):
    """The Watch and its lines after so many steps with such times."""
    clock, lines = Clock(), []

    def source():
        for i in range(steps):
            clock.ns += int(wait_ns(i))
            yield i
    with mock.patch.object(watching.time, "perf_counter_ns", clock.perf_counter_ns), \
            mock.patch.object(watching.time, "time", clock.time):
        w = epochcast.watch(prediction, total, say=lines.append, **options)
        for i in w(source()):
            clock.ns += int(step_ns(i))
        end = w.end()
    return w, lines, clock, end


class Verdict(unittest.TestCase):
    def setUp(self):
        self.p = epochcast.predict("resnet50", "t4", batch=64, precision="amp")

    def run_at(self, ratio, wait=0.0):
        each = float(self.p.step_time_ns) * ratio
        return watched(lambda i: each * (1 - wait), 30, 1000, lambda i: each * wait, self.p)

    def test_as_predicted(self):
        w, lines, _, _ = self.run_at(1.05)
        predicted = float(self.p.step_time_ns)
        self.assertTrue(lines[0].startswith(f"epochcast: as predicted: {watching._ns(1.05 * predicted)} a step, predicted "
                                            f"{watching._ns(predicted)} (90 %: "), lines[0])
        self.assertRegex(lines[1], r"^epochcast: step \d+ of 1000, done at .*, 90 %: .* to ")
        self.assertEqual(len(lines), 2)
        self.assertAlmostEqual(w.step_ns / self.p.step_time_ns, 1.05, delta=0.001)

    def test_the_loader(self):
        w, lines, _, _ = self.run_at(2.0, wait=0.55)
        self.assertIn("2 times slower than predicted: the loader; 55 % of the time goes by waiting for batches", lines[0])
        self.assertAlmostEqual(w.waiting_frac, 0.55, delta=0.02)

    def test_other_causes_are_those_of_evaluate(self):
        _, lines, _, _ = self.run_at(4.0)
        row = {"model": "resnet50", "device": "t4", "batch": 64, "precision": "amp",
               "step_time_ms": 4 * float(self.p.step_time_ns) / 1e6}
        self.assertIn("4 times slower than predicted", lines[0])
        self.assertIn(epochcast.evaluate([row])[0]["likely_text"], lines[0])
        _, lines, _, _ = self.run_at(0.1)
        self.assertIn("10 times faster than predicted", lines[0])

    def test_first_steps_do_not_count(self):
        each = float(self.p.step_time_ns)
        w, _, _, _ = watched(lambda i: each * (50 if i < 3 else 1), 30, prediction=self.p)
        self.assertAlmostEqual(w.step_ns, each, delta=1000)
        self.assertIn("as predicted", w.verdict())

    def test_lines_come_once_a_minute(self):
        _, lines, _, _ = watched(lambda i: 1e9, 500, 1000, prediction=self.p, every_s=60)
        self.assertTrue(8 <= len(lines) <= 10, lines)

    def test_rows_are_read_by_calibrate(self):
        w, _, _, _ = self.run_at(1.2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.csv")
            w.save(path)
            w.save(path)
            with open(path, encoding="utf-8", newline="") as f:
                self.assertEqual(len(list(csv.DictReader(f))), 2)
            mine = epochcast.calibrate(path, "t4")
            better = epochcast.predict("resnet50", "t4", batch=64, precision="amp", profile=mine)
        self.assertLess(abs(better.step_time_ns - w.step_ns), abs(self.p.step_time_ns - w.step_ns))

    def test_a_network_without_images(self):
        p = epochcast.predict({"schema": "epochcast.graph/1", "name": "mlp", "inputs": [{"name": "x", "shape": ["N", 8]}],
                               "nodes": [{"name": "fc", "op": "linear", "in": ["x"], "attrs": {"n": 10}}], "outputs": ["fc"]},
                              "t4", batch=4)
        w, lines, _, _ = watched(lambda i: 1e9, 30, 100, prediction=p)
        self.assertIn("times slower than predicted", lines[0])
        self.assertNotIn("image_px", w.row())

    def test_a_prediction_is_wanted(self):
        with self.assertRaises(TypeError):
            epochcast.watch({"step_time_ns": 3})


class End(unittest.TestCase):
    def test_after_a_twentieth_of_the_steps(self):
        """Runs whose steps scatter, pause for a checkpoint, and drift a little: the end within 5 % of the truth in nine of
        ten, and within its interval."""
        draw = random.Random(5)
        near = inside = 0
        for _ in range(40):
            each, drift = 10 ** draw.uniform(6, 9), draw.gauss(0, 0.01)
            times = [each * draw.lognormvariate(0, 0.15) * (1 + drift * i / 4000) * (6 if i % 97 == 96 else 1) for i in range(4000)]
            times[:3] = [each * 30] * 3
            clock_end = sum(times)
            _, _, clock, end = watched(lambda i: times[i], 200, 4000)
            began = clock.started
            near += abs((end[0] - began) - clock_end / 1e9) < 0.05 * clock_end / 1e9
            inside += end[1] <= began + clock_end / 1e9 <= end[2]
        self.assertGreaterEqual(near, 36)
        self.assertGreaterEqual(inside, 34)

    def test_a_run_that_got_slower_stays_so(self):
        """Another program came to the machine after 40 % of the steps."""
        times = [1e9 * (1 if i < 1600 else 1.5) for i in range(4000)]
        _, _, clock, end = watched(lambda i: times[i], 3200, 4000)
        self.assertAlmostEqual((end[0] - clock.started) * 1e9 / sum(times), 1, delta=0.001)

    def test_intervals_get_narrow(self):
        draw = random.Random(1)
        widths = []
        for n in (20, 200, 2000):
            _, _, _, end = watched(lambda i: 1e9 * draw.lognormvariate(0, 0.2), n, 4000)
            widths.append(end[2] - end[1])
        self.assertGreater(widths[0], widths[1])
        self.assertGreater(widths[1], widths[2])

    def test_a_look_costs_the_same_after_a_million_steps(self):
        w = epochcast.watch(steps=10**8, say=None)
        w._ends.extend(range(0, 10**9, 1000))
        w.end(), w.step_ns
        with mock.patch.object(watching, "sorted", lambda it: self.assertLessEqual(len(list(it)), 4096) or [1], create=True):
            w.step_ns
        self.assertEqual((w.step_ns, w.steps_done), (1000, 10**6))

    def test_nothing_to_say(self):
        self.assertIsNone(epochcast.watch(say=None).end())
        w, lines, _, end = watched(lambda i: 1e9, 1, 10)
        self.assertEqual((lines, end, w.end_text()), ([], None, "too few steps to say when it ends"))

    def test_a_loop_of_ones_own(self):
        lines = []
        with epochcast.watch(steps=30, say=lines.append) as w:
            for _ in range(30):
                w.step()
        self.assertRegex(lines[-1], "^epochcast: 30 steps in ")

    def test_a_loop_that_breaks_or_fails(self):
        w = epochcast.watch(say=None)
        for i in w(range(10)):
            if i == 4:
                break
        self.assertEqual(w.steps_done, 4)
        lines = []
        with self.assertRaises(KeyError), epochcast.watch(say=lines.append) as w:
            for i in w(range(50)):
                raise KeyError
        self.assertEqual(lines, [])

    def test_a_callback_of_transformers(self):
        class TrainerCallback:
            pass
        with mock.patch.dict(sys.modules, transformers=types.SimpleNamespace(TrainerCallback=TrainerCallback)):
            w = epochcast.watch(say=None)
            callback = w.callback()
        self.assertIsInstance(callback, TrainerCallback)
        callback.on_train_begin(None, types.SimpleNamespace(max_steps=7), None)
        callback.on_step_end(None, None, None, model=None)
        self.assertEqual((w.steps, w.steps_done), (7, 1))


LOGS = {
    "stamps": ([f"2026-03-01 10:00:{i:02d},500 INFO step {10 * i}/1000 loss 0.1" for i in range(20)], (190, 1000), 0.1),
    "midnight": ([f"23:59:{50 + i:02d} iter: {i + 1}" if i < 10 else f"00:00:{i - 10:02d} iter: {i + 1}" for i in range(20)],
                 (20, None), 1.0),
    "bar": (["Epoch 1:  10%|#         | 100/1000 [00:50<07:30,  2.00it/s, loss=0.3]",
             "Epoch 1:  20%|##        | 200/1000 [01:40<06:40,  2.00it/s, loss=0.2]"], (200, 1000), 0.5),
    "other lines": (["hello", "", "step 5: 3.0 s/it", "saved at 10:00:00", "step 6: 3.0 s/it"], (6, None), 3.0),
}


class Logs(unittest.TestCase):
    def test_forms(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, (lines, (last, total), each) in LOGS.items():
                with self.subTest(name):
                    path = pathlib.Path(folder) / "log.txt"
                    path.write_text("\n".join(lines), encoding="utf-8")
                    found = watching.read_log(path)
                    self.assertEqual(found[:2], (last, total))
                    self.assertAlmostEqual(found[2][-1][1] / found[2][-1][0], each, delta=1e-6)

    def test_from_the_shell(self):
        def watch(*words, text=""):
            return subprocess.run([sys.executable, "-m", "epochcast", "watch", *words], text=True, input=text, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "log.txt"
            path.write_text("\n".join(LOGS["stamps"][0]), encoding="utf-8")
            done = watch("--from", str(path), "--model", "resnet50", "--device", "rtx4090", "batch=64")
            self.assertRegex(done.stdout, r"^as predicted: 100 ms a step, predicted .*\nstep 190 of 1000, done at ")
        done = watch("--from", "-", text="\n".join(LOGS["bar"][0]))
        self.assertRegex(done.stdout, r"^500 ms a step\nstep 200 of 1000, done at ")
        keras = "".join(f"Epoch {epoch}/5\n1563/1563 - 65s - 40ms/step - loss: 1.3311\n" for epoch in (1, 2))
        self.assertRegex(watch("--from", "-", text=keras).stdout, r"^40 ms a step\nstep 3126 of 7815, done at ")
        done = watch("--from", "-", text='{"train_steps_per_second": 0.5}')
        self.assertEqual(done.stdout, "2 s a step\n")
        done = watch("--from", "-", text="nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected such as", done.stderr)
        self.assertEqual(watch("--from", "/no/such").returncode, 1)
