"""The collector for Keras, and models of Keras that are held: by a stand-in with its interface, as Keras cannot be had here."""
import contextlib
import csv
import io
import json
import os
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

import epochcast
from epochcast.collect import keras as collector



class Model:
    name, input_shape, output_shape, layers = "resnet50", (None, 32, 32, 3), (None, 10), ()

    def __init__(self, weights=None):
        self.compiled = self.trained = 0

    def compile(self, optimizer, loss):
        assert (optimizer, loss) == ("sgd", "categorical_crossentropy")
        self.compiled += 1

    def train_on_batch(self, x, y):
        assert self.compiled and x.shape == (4, 32, 32, 3) and y.shape == (4, 10)
        time.sleep(0.003)
        return 1.0

    def predict_on_batch(self, x):
        time.sleep(0.001)

    def to_json(self):
        return json.dumps({"class_name": "Sequential", "config": {"name": "held", "layers": [
            {"class_name": "InputLayer", "config": {"batch_shape": [None, 8], "dtype": "float32", "name": "x"}},
            {"class_name": "Dense", "config": {"name": "d", "units": 3, "activation": "linear", "use_bias": True}}]}})


def stand_in(backend):
    keras = types.ModuleType("keras")
    keras.__version__ = "3.0-test"
    keras.backend = types.SimpleNamespace(backend=lambda: backend)
    keras.config = types.SimpleNamespace(image_data_format=lambda: "channels_last")
    keras.applications = types.SimpleNamespace(ResNet50=Model)
    return keras


def has_numpy():
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True


class Keras(unittest.TestCase):
    def collect(self, backend, folder, *more):
        torch = types.ModuleType("torch")
        torch.__version__ = "2.0-test"
        torch.cuda = types.SimpleNamespace(is_available=lambda: True, get_device_name=lambda: "Tesla T4")
        path = os.path.join(folder, "keras.csv")
        with contextlib.redirect_stderr(io.StringIO()), unittest.mock.patch.dict(sys.modules, keras=stand_in(backend), torch=torch):
            collector.main(["--networks", "ResNet50", "--batch", "4", "--seconds", "0.2", "--device", "t4", "--out", path, *more])
        with open(path, encoding="utf-8", newline="") as f:
            return path, list(csv.DictReader(f))

    @unittest.skipUnless(has_numpy(), "numpy is absent")
    def test_what_is_collected(self):
        with tempfile.TemporaryDirectory() as folder:
            _, rows = self.collect("numpy", folder)  # which has no gradients
            self.assertEqual([row["phase"] for row in rows], ["forward"])
        with tempfile.TemporaryDirectory() as folder:
            path, rows = self.collect("torch", folder)
            self.assertEqual([row["phase"] for row in rows], ["step", "forward"])
            row = rows[0]
            self.assertEqual((row["what"], row["batch"], row["engine"], row["engine_version"], row["layout"], row["optimizer"]),
                             ("resnet50", "4", "keras", "3.0-test on torch 2.0-test", "channels-last", "sgd"))
            self.assertEqual((row["device_name"], row["framework"]), ("Tesla T4", "pytorch-2"))
            self.assertGreater(min(map(float, row["samples_ns"].split())), 2e6)
            self.assertTrue(os.path.exists(os.path.join(folder, f"machine-{row['machine']}.json")))
            self.assertIn("resnet50", str(epochcast.evaluate(path)))
            self.assertEqual(len(self.collect("torch", folder, "--resume")[1]), 2)

    def test_names(self):
        for keras, ours in (("ResNet50", "resnet50"), ("MobileNetV2", "mobilenet_v2"), ("InceptionV3", "inception_v3"), ("VGG16", "vgg16")):
            self.assertEqual(collector.keras_name(keras), ours)
            self.assertIn(ours, epochcast.zoo())

    def test_a_model_that_is_held(self):
        self.assertEqual(epochcast.Network.from_keras(Model()).totals()["params"], 8 * 3 + 3)
        self.assertGreater(epochcast.predict(Model(), "h100", batch=8).step_time_ns, 0)
