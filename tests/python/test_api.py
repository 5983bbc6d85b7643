"""What the functions return and refuse."""
import concurrent.futures
import ctypes
import gc
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import epochcast
from epochcast import _keywords, _library, network

TINY = {"schema": "epochcast.graph/1", "name": "tiny", "inputs": [{"name": "x", "shape": ["N", 3, 32, 32]}],
        "nodes": [{"name": "conv", "op": "conv2d", "in": ["x"], "attrs": {"k": 16, "r": 3, "pad": [1]}},
                  {"name": "flat", "op": "flatten", "in": ["conv"]},
                  {"name": "fc", "op": "linear", "in": ["flat"], "attrs": {"n": 10}}], "outputs": ["fc"]}


def command(*words):
    epochcast_command = pathlib.Path(os.environ["EPOCHCAST_BUILD"]) / "epochcast"
    return subprocess.run([epochcast_command, *words], stdout=subprocess.PIPE, check=True).stdout.decode().rstrip("\n")


class Predict(unittest.TestCase):
    def test_it_answers_and_prints_as_the_command(self):
        words = ["predict", "resnet50", "--device", "rtx3090", "--batch", "32", "--precision", "amp"]
        p = epochcast.predict("resnet50", "rtx 3090", batch=32, precision="amp")
        self.assertEqual(str(p), command(*words))
        told = json.loads(command(*words, "--json"))
        for key, value in p.to_dict().items():
            self.assertEqual(value, told[key], key)
        self.assertEqual(str(p.explain()), command(*words, "--explain").split("\n\nHow the time")[1].join(["How the time", ""]))
        self.assertEqual(len(p.layers()), len(json.loads(command(*words, "--layers", "--json"))["layers"]))
        self.assertIn("layer", str(p.layers()).split("\n")[0])

    def test_every_kind_of_option_passes(self):
        p = epochcast.predict("resnet50", "a100", batch="max", samples="1.2M", epochs=3, master_weights=True, host=None,
                              precision="bf16", usd_per_hour=1.5)
        self.assertEqual(p.samples, 1200000)
        self.assertEqual(p.cost_usd.p05 < p.cost_usd < p.cost_usd.p95, True)
        self.assertIn("master weights", str(p))
        self.assertEqual(epochcast.predict("resnet50", "a100", master_weights=False).precision, "fp32")

    def test_what_is_refused_says_why(self):
        for status, sentence, arguments, options in (
                ("E_NOT_FOUND", "no built-in network", ("resnet51", "t4"), {}),
                ("E_NOT_FOUND", "did you mean", ("resnet50", "rtx4091"), {}),
                ("E_INPUT", 'unknown key "batchs"; did you mean "batch"', ("resnet50", "t4"), {"batchs": 3}),
                ("E_INPUT", "precision", ("resnet50", "t4"), {"precision": "fp7"}),
                ("E_INPUT", "a request has one device", ("resnet50", "t4,l4"), {}),
                ("E_INPUT", "expected one device, as text", ("resnet50", ["t4"]), {}),
                ("E_INPUT", "no device", ("resnet50",), {}),
                ("E_NOT_FOUND", "/no/such.onnx", ("/no/such.onnx", "t4"), {}),
                ("E_UNSUPPORTED", "a model of type int", (7, "t4"), {})):
            with self.subTest(sentence), self.assertRaises(epochcast.EpochcastError) as caught:
                epochcast.predict(*arguments, **options)
            self.assertEqual(caught.exception.status, status, caught.exception)
            self.assertIn(sentence, str(caught.exception))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.status), (str(caught.exception), "E_UNSUPPORTED"))

    def test_a_model_that_says_error_is_no_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, '"error":{"status":.json')
            with open(path, "w", encoding="utf-8") as f:
                json.dump(TINY, f)
            self.assertEqual(epochcast.predict(path, "t4").model, path)

    def test_a_file_that_changes_is_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path, profile = os.path.join(folder, "tiny.json"), os.path.join(folder, "t4.json")
            counts, times = [], []
            for n in (10, 2000):
                with open(path, "w", encoding="utf-8") as f:
                    json.dump(dict(TINY, nodes=TINY["nodes"][:2] + [dict(TINY["nodes"][2], attrs={"n": n})]), f)
                counts.append(epochcast.predict(path, "t4", batch=8).weights_bytes)
                epochcast.calibrate([{"model": "resnet50", "device": "t4", "batch": 32, "step_time_ms": 30 * n}], "t4").save(profile)
                times.append(epochcast.predict("resnet50", "t4", batch=32, profile=profile).step_time_ns)
            self.assertEqual(counts[1] - counts[0], 4 * 1990 * (16 * 32 * 32 + 1))
            self.assertGreater(times[1], 1.2 * times[0])

    def test_quantities_are_floats(self):
        q = epochcast.predict("resnet50", "t4").samples_per_s
        self.assertEqual(f"{q:.1f}", f"{float(q):.1f}")
        self.assertEqual(q * 2, float(q) * 2)
        again = pickle.loads(pickle.dumps(q))
        self.assertEqual((again, again.interval), (q, q.interval))
        self.assertEqual(json.dumps(q), json.dumps(float(q)))

    def test_attributes_are_the_keys_of_the_document(self):
        p = epochcast.predict("llama3_8b", "h100", batch=1, devices=8, tp=2, zero=1, tokens="1B", usd_per_hour=2.0)
        self.assertEqual(p.parts["device_ns"], p.device_ns)
        self.assertIsNone(p.all_reduce)
        self.assertIsNone(p.loader_ns)
        self.assertIn("step_time_ns", dir(p))
        with self.assertRaisesRegex(AttributeError, "a prediction has no step_time; it has .* step_time_ns"):
            p.step_time  # noqa: B018
        self.assertEqual(set(epochcast.Prediction.__annotations__) - _keywords.ANSWER_KEYS, set())

    def test_threads_have_their_own(self):
        networks = ["resnet18", "resnet50", "vgg16", "mnist_cnn"] * 8
        alone = {n: epochcast.predict(n, "t4", batch=8).to_dict() for n in set(networks)}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for name, p in zip(networks, pool.map(lambda n: epochcast.predict(n, "t4", batch=8), networks)):
                self.assertEqual(p.to_dict(), alone[name])
        self.assertIs(type(_library.library()), ctypes.CDLL)  # which releases the GIL; PyDLL does not

    def test_a_profile_is_of_its_query_alone(self):
        rows = [{"model": "resnet50", "device": "t4", "batch": 32, "step_time_ms": 900}]
        mine = epochcast.calibrate(rows, "t4")
        plain, with_it = (epochcast.predict("resnet50", "t4", batch=32, profile=p) for p in (None, mine))
        self.assertGreater(with_it.step_time_ns, 1.3 * plain.step_time_ns)
        self.assertEqual(epochcast.predict("resnet50", "t4", batch=32).to_dict(), plain.to_dict())
        self.assertIn("as the profile corrects it", str(with_it))
        with self.assertRaisesRegex(epochcast.EpochcastError, "the profile is of t4"):
            epochcast.predict("resnet50", "l4", profile=mine)
        with tempfile.TemporaryDirectory() as folder:
            mine.save(os.path.join(folder, "t4.json"))
            kept = epochcast.Profile.load(os.path.join(folder, "t4.json"))
            self.assertEqual(epochcast.predict("resnet50", "t4", batch=32, profile=kept).step_time_ns, with_it.step_time_ns)
        self.assertIn("resnet50", str(mine))
        self.assertNotIn(mine.path, str(mine))

    def test_an_optimizer_of_torch_is_its_word(self):
        class SGD:
            param_groups = [{"params": [], "lr": 0.1, "momentum": 0.9}]

        class AdamW:
            param_groups = [{"params": [], "lr": 0.1}]

        class PagedAdamW8bit:
            param_groups = [{"params": []}]

        class Sophia:
            param_groups = [{"params": []}]
        p = epochcast.predict("resnet50", "t4", optimizer=SGD())
        self.assertEqual(p.optimizer, "momentum")
        self.assertIn("optimizer momentum", str(p))
        self.assertEqual(epochcast.predict("resnet50", "t4", optimizer=AdamW()).optimizer, "adamw")
        self.assertEqual(epochcast.predict("resnet50", "t4", optimizer=PagedAdamW8bit()).optimizer, "adamw_8bit")
        with self.assertRaisesRegex(epochcast.EpochcastError, "Sophia is not known"):
            epochcast.predict("resnet50", "t4", optimizer=Sophia())


class Networks(unittest.TestCase):
    def test_json_by_text_dictionary_and_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a b.json"
            path.write_text(json.dumps(TINY), encoding="utf-8")
            several = [epochcast.Network.from_json(form) for form in (json.dumps(TINY), TINY, path, str(path))]
            for n in several:
                self.assertEqual(n.name, "tiny")
                self.assertEqual(n.totals()["params"], 16 * 27 + 16 + 10 * 16 * 32 * 32 + 10)
            p = epochcast.predict(several[0], "t4", batch=8)
            self.assertEqual((p.model, str(p).split(",")[0]), ("tiny", "tiny"))
            self.assertEqual(epochcast.predict(TINY, "t4", batch=8).to_dict(), p.to_dict())
            t = epochcast.compare([several[1], "mnist_cnn"], "t4", [8, 16])
            self.assertEqual({row.model for row in t}, {"tiny", "mnist_cnn"})
            self.assertIn("\ntiny", str(t))
            self.assertNotIn("epochcast-", str(t))

    def test_a_bad_one_says_why_and_leaves_nothing(self):
        bad = dict(TINY, nodes=[{"name": "conv", "op": "conv9d", "in": ["x"]}])
        for form, sentence in ((bad, "conv9d"), ('{"schema": ', ""), ({"nodes": 3}, "")):
            with self.assertRaises(epochcast.EpochcastError) as caught:
                epochcast.Network.from_json(form)
            self.assertIn(sentence, str(caught.exception))
            self.assertNotIn(tempfile.gettempdir(), str(caught.exception))

    def test_the_file_goes_with_the_network(self):
        n = epochcast.Network.from_json(TINY)
        path = n.source
        self.assertTrue(os.path.exists(path))
        del n
        gc.collect()
        self.assertFalse(os.path.exists(path))

    def test_nothing_is_left_when_a_process_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            code = ("import epochcast, os; n = epochcast.Network.from_json(%r); epochcast.predict(n, 't4'); "
                    "p = epochcast.calibrate([{'model': 'resnet50', 'device': 't4', 'batch': 8, 'step_time_ms': 90}], 't4'); "
                    "os.fork() or os._exit(0); os.wait(); print(os.path.exists(n.source))" % json.dumps(TINY))
            done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, TMPDIR=folder),
                                  stdout=subprocess.PIPE, check=True)
            self.assertEqual(done.stdout, b"True\n")
            self.assertEqual(os.listdir(folder), [])

    def test_hugging_face_by_object_and_folder(self):
        class Config:
            def to_dict(self):
                return {"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 2, "vocab_size": 100, "n_positions": 32}

        class Model:
            config = Config()
        n = epochcast.Network.from_huggingface(Model())
        self.assertEqual(n.name, "gpt2")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "config.json").write_text(json.dumps(Config().to_dict()), encoding="utf-8")
            self.assertEqual(epochcast.Network.from_huggingface(folder).totals(), n.totals())
        with self.assertRaisesRegex(epochcast.EpochcastError, "model_type"):
            epochcast.Network.from_huggingface({"model_type": "none-such"})

    def test_written_and_read_again(self):
        n = epochcast.Network.zoo("cifar_cnn", depth=3, base_filters=16)
        again = epochcast.Network.from_json(n.to_json())
        self.assertEqual(again.totals(batch=4), n.totals(batch=4))
        self.assertIn("resnet50", epochcast.zoo())

    def test_a_module_of_torch_needs_its_inputs(self):
        class Torch:
            class nn:
                class Module:
                    pass
        before = sys.modules.get("torch")
        sys.modules["torch"] = Torch
        try:
            with self.assertRaisesRegex(epochcast.EpochcastError, "give example_inputs"):
                network.as_network(Torch.nn.Module())
        finally:
            if before:
                sys.modules["torch"] = before
            else:
                del sys.modules["torch"]


class Several(unittest.TestCase):
    def test_compare_is_the_command(self):
        words = ["predict", "resnet50", "vgg16", "--device", "t4,l4", "--precision", "amp", "--batch", "32,64"]
        t = epochcast.compare(["resnet50", "vgg16"], ["t4", "l4"], [32, 64], precision="amp")
        self.assertEqual(str(t), command(*words))
        self.assertEqual([r.to_dict() for r in t], json.loads(command(*words, "--json"))["predictions"])
        self.assertEqual({(r.device, r.batch) for r in t}, {(d, b) for d in ("t4", "l4") for b in (32, 64)})
        self.assertIn(f"batch {t[0].batch},", str(t[0]))
        rows = t.to_dicts()
        self.assertLess(rows[0]["step_time_p05_ns"], rows[0]["step_time_ns"])
        self.assertEqual(len(epochcast.compare("resnet50", "t4", 8)), 1)

    def test_what_cannot_be_predicted_has_an_error(self):
        t = epochcast.compare("resnet50", ["t4", "rtx3090"], 32, precision=["amp", "bf16"])
        wrong = [r for r in t if r.error]
        self.assertTrue(wrong or all(r.step_time_ns for r in t))
        for r in wrong:
            self.assertIn(r.error["message"], repr(r))
            with self.assertRaises(epochcast.EpochcastError):
                str(r)

    def test_patterns_and_order(self):
        t = epochcast.compare("resnet50", "rtx40*", 32, sort="time", top=3)
        self.assertEqual(len(t), 3)
        self.assertEqual(sorted(r.step_time_ns for r in t), [r.step_time_ns for r in t])

    def test_plans(self):
        t = epochcast.plan(epochcast.Network.from_json(TINY), ["t4", "l4"], samples="1e8", devices="1..4", top=2)
        self.assertTrue(t[0]["command"].startswith("epochcast predict tiny --device "))
        self.assertIn(t[0]["device"], str(t))
        self.assertEqual(t.about["schema"], "epochcast.plan/1")

    def test_check(self):
        expected = epochcast.predict("resnet18", "t4", batch=32, precision="amp").step_time_ns
        one = epochcast.check("resnet18", "t4", expected, batch=32, precision="amp")
        self.assertEqual((one["verdict"], one["causes"]), ("normal", []))
        self.assertAlmostEqual(one["percentile"], 50, places=3)
        slow = epochcast.check("resnet18", "t4", f"{32e9 / expected / 20} samples/s", batch=32, precision="amp")
        self.assertEqual(slow["verdict"], "slower")
        self.assertTrue(all(c["evidence"] for c in slow["causes"]))
        with self.assertRaisesRegex(epochcast.EpochcastError, "with its unit"):
            epochcast.check("resnet18", "t4", "fast")
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "train.log"
            log.write_text("".join(f"10:00:0{i} step {i}\n" for i in range(1, 6)), encoding="utf-8")
            self.assertEqual(epochcast.check("resnet18", "t4", log=log)["measured_ns"], 1e9)

    def test_measurements(self):
        rows = [{"model": "resnet50", "device": "t4", "batch": 64, "step_time_ms": 5000, "precision": "amp"},
                {"model": "no-such", "device": "t4", "batch": 64, "step_time_ms": 5}]
        t = epochcast.evaluate(rows)
        self.assertEqual([r["inside"] for r in t], [False])
        self.assertIn("rows", t.about["said"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.csv")
            pathlib.Path(path).write_text("model,device,batch,step_time_ms\nresnet50,t4,64,400\n", encoding="utf-8")
            self.assertEqual(len(epochcast.evaluate(path, precision="fp32")), 1)
        with self.assertRaisesRegex(epochcast.EpochcastError, "no rows"):
            epochcast.evaluate([])
        with self.assertRaisesRegex(epochcast.EpochcastError, "^rows: "):
            epochcast.evaluate([{"a": 1}])

    def test_frames(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        t = epochcast.compare("resnet50", ["t4", "l4"], 32)
        self.assertEqual(list(t.to_pandas()["device"]), [r.device for r in t])
        self.assertEqual(t[0].to_pandas()["batch"], 32)
        self.assertEqual(len(epochcast.evaluate(pandas.DataFrame([{"model": "resnet50", "device": "t4", "batch": 8,
                                                                    "step_time_ms": 90}]))), 1)

    def test_html_is_escaped(self):
        n = epochcast.Network.from_json(dict(TINY, name="<b>x</b>"))
        page = epochcast.predict(n, "t4")._repr_html_()
        self.assertIn("&lt;b&gt;", page)
        self.assertNotIn("<b>", page)
        self.assertTrue(epochcast.devices("h100*")._repr_html_().startswith("<pre>"))


class Command(unittest.TestCase):
    def run_module(self, *words, text=""):
        return subprocess.run([sys.executable, "-m", "epochcast", *words], input=text,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def test_the_module_is_the_command(self):
        self.assertEqual(self.run_module("predict", "resnet50", "--device", "t4").stdout.rstrip("\n"),
                         command("predict", "resnet50", "--device", "t4"))
        self.assertEqual(self.run_module("--version").stdout, f"epochcast {epochcast.__version__}\n")
        self.assertEqual(self.run_module("predict", "resnet50").returncode, 2)

    def test_a_clone_works_without_being_installed(self):
        code = "import epochcast; p = epochcast.predict('resnet50', 't4'); print(p); p.explain(); p._repr_html_(); print(repr(p))"
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              env=dict(os.environ, PYTHONPATH="python", EPOCHCAST_LIBRARY=os.environ["EPOCHCAST_BUILD"] + "/libepochcast.so"))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_another_library(self):
        for path, sentence in (("/no/lib.so", "cannot be opened"), ("libm.so.6", "another version of the library")):
            done = subprocess.run([sys.executable, "-c", "import epochcast; print(epochcast.__version__)"], check=False, text=True,
                                  env=dict(os.environ, EPOCHCAST_LIBRARY=path), stderr=subprocess.PIPE)
            self.assertIn(sentence, done.stderr)

    def test_importing_opens_nothing(self):
        done = subprocess.run([sys.executable, "-c", "import sys, epochcast; print(epochcast._library._library, 'numpy' in sys.modules)"],
                              stdout=subprocess.PIPE, check=True, text=True)
        self.assertEqual(done.stdout, "None False\n")

    def test_the_collector_is_a_module(self):
        done = subprocess.run([sys.executable, "-m", "epochcast.collect", "--help"], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertRegex(done.stdout, "ceilings|PyTorch is not installed")
