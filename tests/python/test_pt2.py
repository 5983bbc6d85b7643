"""Programs of torch.export: what is read of them, and what is refused. The archives are made here: none is of PyTorch."""
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
import zipfile

import pt2_archives as archives

import epochcast
from epochcast import pt2

ARCHIVES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "archives")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="epochcast-pt2-")
        self.addCleanup(self.folder.cleanup)

    def file(self, document, **how):
        return archives.write(os.path.join(self.folder.name, "model.pt2"), document, **how)

    def read(self, document):
        return pt2.read(self.file(document))


def nodes(graph):
    return [node["op"] for node in graph["nodes"]]


class Read(Case):
    def test_an_mlp(self):
        graph = self.read(archives.mlp())
        self.assertEqual(nodes(graph), ["linear", "relu", "gelu", "linear"])
        self.assertEqual(graph["inputs"], [{"name": "x", "shape": ["N", 64]}])
        self.assertEqual((graph["batch"], graph["nodes"][0]["name"]), (4, "fc1"))
        self.assertEqual(graph["nodes"][2]["attrs"], {"approx": "tanh"})
        self.assertIn("exported in evaluation mode: its dropout does not run", graph["notes"])
        network = epochcast.Network.from_pt2(self.file(archives.mlp()))
        totals = network.totals(batch=8)
        self.assertEqual(totals["params"], 64 * 256 + 256 + 256 * 10 + 10)
        self.assertEqual(totals["mac"], 8 * (64 * 256 + 256 * 10))

    def test_a_cnn(self):
        graph = self.read(archives.cnn())
        self.assertEqual([op for op in nodes(graph) if op != "reshape"],
                         ["conv2d", "batch_norm", "max_pool2d", "adaptive_avg_pool", "linear"])
        self.assertEqual(graph["nodes"][0]["attrs"], {"k": 16, "r": 3, "s": 3, "stride": [2, 2], "pad": [1, 1], "groups": 1,
                                                      "bias": False})
        totals = epochcast.Network.from_pt2(self.file(archives.cnn())).totals(batch=2)
        self.assertEqual((totals["params"], totals["buffers"]), (3 * 9 * 16 + 2 * 16 + 16 * 10 + 10, 2 * 16))
        self.assertEqual(totals["mac"], 2 * (16 * 16 * 16 * 27 + 160))

    def test_an_attention_block(self):
        graph = self.read(archives.attention())
        for op in ("embedding", "layer_norm", "split", "attention", "opaque"):
            self.assertEqual(nodes(graph).count(op), 1, op)
        block = next(node for node in graph["nodes"] if node["op"] == "attention")
        self.assertEqual(block["attrs"]["causal"], True)
        self.assertIn("operators without a row, costed by their bytes: special_bessel_j0 (1)", graph["notes"])
        totals = epochcast.Network.from_pt2(self.file(archives.attention())).totals(batch=8)
        self.assertEqual(totals["params"], 100 * 64 + 2 * 64 + 64 * 192 + 192 + 64 * 64 + 64)  # the words once
        self.assertEqual(totals["mac"], 8 * 16 * (64 * 192 + 64 * 64 + 64 * 100) + 8 * 4 * 136 * 2 * 16)

    def test_experts_in_one_product(self):
        p = archives.Program()
        x, ends = p.given("user_input", "x", 14, 8), p.given("user_input", "ends", 3, dtype=archives.LONG)
        turned = p.call("transpose.int", p.given("parameter", "up", 3, 32, 8), -2, -1, out=[3, 8, 32])
        document = p.document(p.call("_grouped_mm.default", x, turned, offs=ends, out=[14, 32]))
        self.assertEqual(nodes(self.read(document)), ["grouped_matmul"])
        totals = epochcast.Network.from_pt2(self.file(document)).totals()
        self.assertEqual((totals["params"], totals["mac"]), (3 * 32 * 8, 14 * 8 * 32))

    def test_archives_of_pytorch_2_11(self):
        """What torch.export.save wrote, of modules in training and of a symbolic batch; weights and metadata taken out."""
        for name, params, mac in (("attention", 50 * 32 + 2 * 32 + 32 * 96 + 96 + 32 * 50 + 50,
                                   16 * (32 * 96 + 32 * 50) + 4 * 136 * 2 * 8),
                                  ("cnn", 27 * 16 + 2 * 16 + 16 * 10 + 10, 16 * 16 * 16 * 27 + 160)):
            path = os.path.join(ARCHIVES, name + ".pt2")
            totals = epochcast.Network.from_pt2(path).totals(batch=8)
            self.assertEqual((totals["params"], totals["mac"]), (params, 8 * mac), name)
            self.assertEqual(pt2.read(path)["notes"], [])

    def test_two_names_of_one_weight(self):
        path = os.path.join(self.folder.name, "tied.pt2")
        with zipfile.ZipFile(os.path.join(ARCHIVES, "attention.pt2")) as source, zipfile.ZipFile(path, "w") as tied:
            for info in source.infolist():
                text = source.read(info)
                if info.filename.endswith("model_weights_config.json"):
                    text = text.replace(b'"weight_5"', b'"weight_0"')  # out.weight: that of the words
                tied.writestr(info.filename, text)
        self.assertEqual(epochcast.Network.from_pt2(path).totals()["params"], 50 * 32 + 2 * 32 + 32 * 96 + 96 + 50)

    def test_the_batch_follows_where_it_is_a_symbol(self):
        fixed = self.read(archives.fixed(archives.mlp()))
        self.assertEqual(fixed["inputs"][0]["shape"], [4, 64])
        self.assertIn("exported for a batch of 4 only", fixed["notes"][-1])
        path = self.file(archives.fixed(archives.mlp()))
        with self.assertRaises(epochcast.EpochcastError) as caught:
            epochcast.predict(path, "h100", batch=8)
        self.assertIn("4", str(caught.exception))
        self.assertEqual(epochcast.predict(path, "h100", batch=4).batch, 4)
        self.assertEqual(epochcast.predict(self.file(archives.mlp()), "h100", batch=8).batch, 8)

    def test_the_layout_before_2_8(self):
        self.file(archives.mlp(), name="serialized_exported_program.json")
        self.assertEqual(len(pt2.read(os.path.join(self.folder.name, "model.pt2"))["nodes"]), 4)

    def test_sizes(self):
        for text, number in (("s0", 4), ("2*s0 + 1", 9), ("(s0 + 3)//2", 3), ("Mul(Integer(2), Symbol('s0', integer=True))", 8),
                             ("FloorDiv(Add(Symbol('s0'), Integer(-1)), Integer(2)) + 1", 2), ("Mod(s0, 3)", 1), ("s0**2", 16)):
            self.assertEqual(pt2.evaluated({"as_expr": {"expr_str": text}}, {"s0": 4}), number, text)
        for text in ("u0", "s0/0", "__import__('os')", "s0**99", "-s0", "(" * 500, "-" * 1500 + "1", "'a'", "s0.real", "[1]", ""):
            with self.assertRaises(pt2.Pt2Error, msg=text):
                pt2.evaluated({"as_expr": {"expr_str": text}}, {"s0": 4})

    def test_the_command_of_the_module(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(pt2.main([self.file(archives.mlp())]), 0)
        self.assertEqual(json.loads(out.getvalue())["name"], "model")
        with contextlib.redirect_stderr(out):
            self.assertEqual(pt2.main([]), 2)
            self.assertEqual(pt2.main(["no.pt2"]), 1)

    def test_the_module_is_a_command(self):
        path = os.path.join(ARCHIVES, "cnn.pt2")
        done = subprocess.run([sys.executable, "-m", "epochcast.pt2", path], check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout), pt2.read(path))


class Refused(Case):
    def refused(self, content, sentence, **how):
        with self.assertRaises(pt2.Pt2Error) as caught:
            pt2.read(self.file(content, **how))
        self.assertIn(sentence, str(caught.exception))

    def test_other_versions(self):
        for major, torch, who in ((5, None, "PyTorch 2.5 or before"), (9, "3.1.0", "PyTorch 3.1.0")):
            document = archives.mlp()
            document["schema_version"]["major"], document["torch_version"] = major, torch
            self.refused(document, f"schema {major}.7, written by {who}; expected 8")

    def test_other_files(self):
        self.refused("{}", "no program of torch.export.save", name="data.pkl")
        self.refused("{", "damaged")
        self.refused("[1]", "damaged")
        path = os.path.join(self.folder.name, "text.pt2")
        with open(path, "w") as f:
            f.write("no zip")
        with self.assertRaises(epochcast.EpochcastError) as caught:
            epochcast.predict(path, "h100")
        self.assertIn("no archive of torch.export.save", str(caught.exception))

    def test_sizes_from_data(self):
        document = archives.mlp()
        list(document["graph_module"]["graph"]["tensor_values"].values())[-1]["sizes"][0] = {"as_expr": {"expr_str": "u7"}}
        self.refused(document, 'the size "u7" follows from no size of an input')

    def test_what_is_damaged_has_a_sentence(self):
        """Parts of the JSON gone or changed, 400 times: a network, or a sentence."""
        rng = random.Random(3)
        for document in [make() for make in (archives.mlp, archives.cnn, archives.attention)] * 133:
            text = json.dumps(document)
            document = json.loads(text)
            for _ in range(rng.randint(1, 3)):
                place = document
                while isinstance(place, (dict, list)) and place:
                    key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
                    if rng.random() < 0.25 or not isinstance(place[key], (dict, list)):
                        place[key] = rng.choice([None, -1, 1 << 70, "x", [], {}, 1.5, True, [[]], {"as_int": -5}])
                        break
                    place = place[key]
            try:
                graph = pt2.read(self.file(document))
            except pt2.Pt2Error as why:
                self.assertGreater(len(str(why)), 20)
                continue
            self.assertIn("nodes", graph)


if __name__ == "__main__":
    unittest.main()
