"""A torch.nn.Module in the place of a model, where PyTorch is there."""
import importlib
import unittest
import weakref

import epochcast

recorder = importlib.import_module("epochcast.from_torch")  # beside the function of its name
try:
    import torch
except ImportError:
    torch = None


def stand_in():
    """The operator torch._grouped_mm, for PyTorch without it: its schema, shapes and gradients; a product by no group."""
    library = torch.library.Library("stand_in", "DEF")
    library.define("_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None)"
                   " -> Tensor")

    def shape(a, b, offs=None, bias=None, out_dtype=None):
        lead = (offs.shape[0],) if a.dim() == b.dim() == 2 else a.shape[:1] if a.dim() == b.dim() else ()
        return a.new_empty(*lead, a.shape[-2], b.shape[-1])

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, offs):
            ctx.save_for_backward(a, b, offs)
            below = torch._C._AutoDispatchBelowAutograd()
            made = torch.ops.stand_in._grouped_mm(a, b, offs)
            del below  # until here no call is of autograd
            return made

        @staticmethod
        def backward(ctx, grad):
            a, b, offs = ctx.saved_tensors
            run = torch.ops.stand_in._grouped_mm
            return run(grad, b.transpose(-2, -1), offs), run(a.transpose(-2, -1), grad, offs), None

    Function.__module__ = "torch.stand_in"  # no function of a user's own
    library.impl("_grouped_mm", shape, "Meta")
    library.impl("_grouped_mm", lambda a, b, offs=None, bias=None, out_dtype=None: Function.apply(a, b, offs), "Autograd")
    stand_in.library = library  # the operator lives as long
    return torch.ops.stand_in._grouped_mm


@unittest.skipIf(torch is None, "no PyTorch (Debian: python3-torch)")
class Torch(unittest.TestCase):
    def module(self):
        return torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(),
                                   torch.nn.Linear(16 * 32 * 32, 10))

    def test_a_module_is_a_model(self):
        module, x = self.module(), torch.zeros(8, 3, 32, 32)
        p = epochcast.predict(module, x, device="h100", optimizer=torch.optim.SGD(module.parameters(), 0.1, momentum=0.9))
        self.assertEqual((p.batch, p.optimizer, p.model), (8, "momentum", "Sequential"))
        self.assertEqual(p.parts["weights_bytes"], 4 * sum(w.numel() for w in module.parameters()))
        self.assertTrue(str(p).startswith("Sequential, batch 8"))
        optimizer = dict(optimizer="momentum")
        self.assertEqual(epochcast.predict(module, "h100", example_inputs=x, **optimizer).step_time_ns, p.step_time_ns)
        self.assertEqual(epochcast.memory(module, x, device="h100", **optimizer).peak_bytes, p.memory_peak_bytes)
        self.assertEqual(len(epochcast.compare(module, ["t4", "l4"], [8, 16], example_inputs=x)), 4)
        from epochcast.from_torch import record  # does not put its module in the place of the function
        self.assertEqual(epochcast.from_torch(module, x).totals(), epochcast.Network.from_json(record(module, x)).totals())

    def test_the_precision_is_that_of_the_parameters(self):
        ids = torch.zeros(4, 16, dtype=torch.int64)

        class Language(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embed, self.head = torch.nn.Embedding(100, 64), torch.nn.Linear(64, 100)

            def forward(self, ids):
                return self.head(self.embed(ids))

        for module, word in ((Language(), "fp32"), (Language().half(), "fp16"), (Language().bfloat16(), "bf16")):
            p = epochcast.predict(module, ids, device="h100")
            self.assertEqual((p.precision, p.precision_from, p.optimizer), (word, "parameters", "adamw"))
            self.assertIn(f"as the parameters of the module are: {word} (--precision for others)", str(p))
            self.assertEqual(epochcast.watch(p, steps=9).prediction.precision, word)
            self.assertIn(f"--precision {word}", epochcast.plan(module, "h100", example_inputs=ids, samples=1e5, devices=1)[0]["command"])
            answers = epochcast.compare(module, "h100", [4, 8], example_inputs=ids)
            self.assertEqual([one.precision for one in answers], [word] * 2)
            expected = epochcast.check(module, "h100", "5ms", example_inputs=ids)["expected_ns"]["p50"]
            self.assertAlmostEqual(expected, p.step_time_ns, delta=1)
        p = epochcast.predict(Language(), ids, device="h100", precision="amp")
        self.assertEqual((p.precision, p.precision_from), ("amp", None))
        p = epochcast.predict(self.module().half(), torch.zeros(2, 3, 32, 32).half(), device="h100")
        self.assertEqual((p.precision, p.optimizer), ("fp16", "sgd"))
        self.assertEqual(epochcast.predict(Language(), ids, device="tpu-v5e").precision_from, None)  # it has no fp32

    def test_a_recommender_reads_no_sequence(self):
        class Recommender(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.tables = torch.nn.ModuleList([torch.nn.EmbeddingBag(1000, 8) for _ in range(4)])
                self.top = torch.nn.Linear(4 * 8 + 13, 1)

            def forward(self, ids, dense):
                found = [table(ids[:, i:i + 1]) for i, table in enumerate(self.tables)]
                return self.top(torch.cat(found + [dense], 1))

        p = epochcast.predict(Recommender(), (torch.zeros(64, 4, dtype=torch.int64), torch.zeros(64, 13)), device="h100")
        self.assertEqual((p.tokens_per_s, p.seq_len, p.precision, p.optimizer), (None, None, "fp32", "sgd"))

    def test_elements_of_masks_are_known(self):
        class Masked(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.out = torch.nn.Embedding(50, 32), torch.nn.Linear(32, 5)
                self.register_buffer("places", torch.arange(64))

            def forward(self, ids, mask):
                place = torch.arange(ids.shape[1], device=ids.device) + self.places[:1]
                if not mask.bool().all() or (place == 99).any():
                    raise AssertionError("the mask of the example has ones alone")
                mask = mask.clone().masked_fill_(mask == 7, 0)
                return self.out(self.words(ids)[:, :int(mask.sum(1).max())])
        ids = torch.randint(50, (4, 16))
        graph = recorder.record(Masked(), (ids, torch.ones_like(ids)))
        self.assertEqual((graph["recorded"]["values"], graph["notes"]), ("none", []))
        self.assertEqual([node["op"] for node in graph["nodes"]][-1], "linear")
        self.assertEqual(epochcast.Network.from_json(graph).totals(batch=8)["mac"], 8 * 16 * 32 * 5)

    def test_tensors_go_when_the_module_lets_go(self):
        """With and without elements: what autograd does not keep is not kept."""
        for decide, values in ((lambda x: x.sum().item() != 0.5, "real"), (lambda x: True, "none")):
            made, alive = [], []

            class Chain(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(8, 8)

                def forward(self, x):
                    for _ in range(4):
                        mask = torch.ones(8, 8).tril()
                        y = self.layer(x) + mask  # its sum keeps nothing
                        made.extend((weakref.ref(y), weakref.ref(mask)))
                        x = y + 1
                    del y, mask
                    alive.append(sum(ref() is not None for ref in made))
                    return x if decide(x) else -x
            graph = recorder.record(Chain(), torch.ones(8, 8))
            self.assertEqual((graph["recorded"]["values"], alive[-1]), (values, 0))

    def test_regions_that_run_again(self):
        from torch.utils.checkpoint import checkpoint

        class Again(torch.nn.Module):
            def __init__(self, reentrant):
                super().__init__()
                self.first, self.reentrant = torch.nn.Linear(8, 8), reentrant
                self.block = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(), torch.nn.Linear(8, 8))

            def forward(self, x):
                return checkpoint(self.block, self.first(x), use_reentrant=self.reentrant)
        for reentrant in (True, False):
            made = recorder.record(Again(reentrant), torch.zeros(4, 8))["recorded"]
            self.assertEqual((made["values"], made["runs_again"]), ("none", ["block"]))

    def test_optimizers_keep_what_is_counted(self):
        """Each kind of torch.optim: states of a parameter's size after a step, beside those of the prediction."""
        states = {"sgd": 0, "momentum": 1, "rmsprop": 1, "adagrad": 1, "adam": 2, "adamw": 2, "adadelta": 2, "adafactor": 0}
        for name, word in recorder.OPTIMIZERS.items():
            if not hasattr(torch.optim, name):
                continue  # one of another library, or of a newer PyTorch
            module = torch.nn.Linear(64, 64, bias=False)
            optimizer = getattr(torch.optim, name)(module.parameters(), lr=0.1)
            module(torch.ones(2, 64)).sum().backward()
            optimizer.step()
            kept = sum(torch.is_tensor(t) and t.numel() == 4096 for t in optimizer.state[module.weight].values())
            self.assertEqual((recorder.optimizer_of(optimizer)["optimizer"], kept), (word, states[word]), name)
            bytes_ = epochcast.predict(module, torch.ones(2, 64), device="h100", optimizer=optimizer).parts["optimizer_bytes"]
            self.assertEqual(bytes_, kept * 4 * 4096, name)

    def test_other_optimizers_are_refused(self):
        module = torch.nn.Linear(2, 2)
        with self.assertRaises(recorder.RecordError) as caught:
            recorder.optimizer_of(torch.optim.LBFGS(module.parameters()))
        self.assertRegex(str(caught.exception), 'LBFGS is not known, expected one of .*nearest is optimizer="adam"; it keeps')

    def test_experts_in_one_product(self):
        """torch._grouped_mm of PyTorch 2, where 1.13 has it not: an operator of the same schema stands in."""
        grouped = getattr(torch, "_grouped_mm", None) or stand_in()
        experts, tokens, wide, top_k = 3, 7, 16, 2  # 14 rows, which 3 does not divide

        class Experts(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.up = torch.nn.Parameter(torch.randn(experts, 2 * wide, 8))
                self.down = torch.nn.Parameter(torch.randn(experts, 8, wide))

            def forward(self, x):
                rows = x.reshape(-1, 8)[torch.arange(x.shape[0] * x.shape[1] * top_k) // top_k]
                ends = torch.arange(1, experts + 1, dtype=torch.int32) * (rows.shape[0] // experts)
                gate, inner = grouped(rows, self.up.transpose(-2, -1), offs=ends).chunk(2, -1)
                y = grouped(torch.nn.functional.silu(gate) * inner, self.down.transpose(-2, -1), offs=ends)
                return y.view(x.shape[0], x.shape[1], top_k, 8).sum(2)
        graph = recorder.record(Experts().bfloat16(), torch.zeros(1, tokens, 8, dtype=torch.bfloat16, requires_grad=True))
        found = [node for node in graph["nodes"] if node["op"] == "grouped_matmul"]
        self.assertEqual([node["attrs"] for node in found], [{"transpose_b": True}] * 2)
        self.assertEqual(graph["recorded"]["unknown"], {})
        mac = tokens * top_k * (2 * wide * 8 + 8 * wide)
        self.assertEqual(graph["recorded"]["backward"]["mac"], 2 * mac)
        totals = epochcast.Network.from_json(graph).totals()
        self.assertEqual((totals["mac"], totals["params"]), (mac, experts * 8 * 3 * wide))

    def test_experts_by_the_fallback(self):
        """transformers::grouped_mm_fallback reads where groups end, which has no elements here: it is not run."""
        library = torch.library.Library("stand_in_transformers", "DEF")
        library.define("grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor")

        def multiply(a, b, offs):
            ends = offs.tolist()
            return torch.cat([a[start:end] @ b[at] for at, (start, end) in enumerate(zip([0] + ends, ends))])
        library.impl("grouped_mm_fallback", multiply, "CompositeImplicitAutograd")

        class Experts(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.up = torch.nn.Parameter(torch.randn(3, 8, 16))

            def forward(self, x):
                chosen = x.sum(-1).argsort()
                ends = torch.histc(chosen.float(), bins=3, min=0, max=2).cumsum(0).int()
                return torch.ops.stand_in_transformers.grouped_mm_fallback(x[chosen], self.up, offs=ends)
        recorded = recorder.record(Experts(), torch.zeros(12, 8, requires_grad=True))
        self.assertEqual((recorded["recorded"]["values"], recorded["recorded"]["unknown"]), ("none", {}))
        self.assertEqual(recorded["recorded"]["backward"]["mac"], 2 * 12 * 8 * 16)
        totals = epochcast.Network.from_json(recorded).totals(batch=24)
        self.assertEqual((totals["mac"], totals["params"]), (24 * 8 * 16, 3 * 8 * 16))

    def test_operators_of_others_models(self):
        """Known, without elements, for every batch, parameters exact; how much some of them read."""
        nn, functional = torch.nn, torch.nn.functional
        image, row = torch.zeros(2, 8, 16, 16), torch.zeros(4, 16)

        class Layer(nn.Module):
            def __init__(self, after, x):
                super().__init__()
                self.first = nn.Conv2d(8, 8, 1) if x.dim() == 4 else nn.Linear(16, 16)
                self.after = after

            def forward(self, x):
                return self.after(self.first(x))

        def patches(x):
            return x.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).flatten(3)

        def moved(x):
            return x.permute(0, 2, 3, 1).reshape(x.shape[0], 4, 4, 128)

        def sampled(x):
            return functional.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), align_corners=False)

        def huber(x):
            return functional.huber_loss(x, torch.ones_like(x))
        for after, x in ((functional.glu, row), (lambda x: functional.glu(x, 1), image), (functional.celu, row), (torch.triu, row),
                         (lambda x: x.flip(1), row), (lambda x: torch.cummax(x, 1)[0], row), (lambda x: functional.unfold(x, 3), image),
                         (patches, image), (sampled, image), (huber, row), (lambda x: x * torch.bucketize(x, torch.ones(3)), row),
                         (lambda x: functional.interpolate(x, scale_factor=2, mode="nearest-exact"), image),
                         (lambda x: functional.pad(x, (1, 1, 1, 1), mode="reflect"), image), (nn.SyncBatchNorm(8), image)):
            module = Layer(after, x)
            graph = recorder.record(module, x)
            seen = graph["recorded"]
            names = [node["op"] for node in graph["nodes"]]
            self.assertEqual((seen["values"], seen["unknown"], seen["backward"]["unknown"]), ("none", {}, {}), names)
            totals = epochcast.Network.from_json(graph).totals(batch=6)
            self.assertEqual(totals["params"], sum(p.numel() for p in module.parameters()), names)
        self.assertEqual(names, ["conv2d", "batch_norm"])
        whole = epochcast.from_torch(Layer(patches, image), image).totals()
        self.assertEqual(whole["forward_bytes"], epochcast.from_torch(Layer(moved, image), image).totals()[
            "forward_bytes"], "the copy of what does not overlap, and no other")
        bag = epochcast.from_torch(nn.EmbeddingBag(100000, 16), torch.zeros(8, 3, dtype=torch.long)).totals(batch=8)
        self.assertEqual(bag["params"], 1600000)
        self.assertLess(bag["forward_bytes"], 10 * 8 * 3 * 16 * 4, "its rows, not its table")

    def test_memory_is_moved_by_index(self):
        """Writes by index have rows; what they move, forward: 8 x 16 elements, into 24 x 16 or as many."""
        rows, places = torch.randint(24, (8,)), torch.randint(8, (8, 16))
        small, large = 4 * 8 * 16, 4 * 24 * 16

        def whole(device=None):
            return torch.zeros(24, 16, device=device)

        def put(x, at, value):
            x[at] = value
            return x
        for name, call, bytes_ in (
                ("index_add", lambda x: whole().index_add(0, rows, x), 2 * large + 2 * small),  # and a pass over what is added
                ("index_copy", lambda x: whole().index_copy(0, rows, x), 2 * large),
                ("index_put", lambda x: put(whole(x.device), rows, x), 2 * large),
                ("part", lambda x: put(whole(x.device), slice(0, 8), x), 2 * large),
                ("scatter", lambda x: torch.zeros_like(x).scatter(0, places, x), 2 * small),
                ("scatter_add", lambda x: torch.zeros_like(x).scatter_add(0, places, x), 2 * small),
                ("to few", lambda x: torch.zeros(2, 16).index_put((rows % 2,), x, accumulate=True), 2 * small),
                ("by a mask", lambda x: put(x * 1, places > 3, 0.0), 4 * small),
                ("take", lambda x: x.take(rows), 2 * 4 * 8 + 8 * 8),
                ("sort", lambda x: torch.sort(x, dim=1, stable=True)[0], 2 * small + 8 * 8 * 16)):
            class Written(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(16, 16)

                def forward(self, x, call=call):
                    return call(self.layer(x))
            graph = recorder.record(Written(), torch.zeros(8, 16))
            seen = graph["recorded"]
            self.assertEqual((seen["values"], seen["unknown"], seen["backward"]["unknown"]), ("none", {}, {}), name)
            moved = [layer["forward_bytes"] for layer in epochcast.Network.from_json(graph).layers()
                     if layer["op"] not in ("linear", "loss")]
            self.assertEqual(sum(moved), bytes_, name)

    def test_masks_decide_shapes(self):
        """By their elements where these are known, as those of targets are; else in a run on real tensors."""
        class Picked(torch.nn.Module):
            def __init__(self, mask):
                super().__init__()
                self.layer, self.mask = torch.nn.Linear(16, 16), mask

            def forward(self, x, label):
                y = self.layer(x)
                return y[self.mask(y, label)]
        x, label = torch.randn(8, 16), torch.tensor([0, 1, 2, 3] * 2)
        seen = recorder.record(Picked(lambda y, label: label != 3), (x, label))
        self.assertEqual((seen["recorded"]["values"], seen["consts"][-1]["shape"]), ("none", [6]))
        module = Picked(lambda y, label: y > 0)
        seen = recorder.record(module, (x, label))
        self.assertEqual((seen["recorded"]["values"], seen["consts"][-1]["shape"]), ("real", [int((module.layer(x) > 0).sum())]))
        label = torch.randint(16, (8,))
        graph = recorder.record(module.layer, x, lambda y: torch.nn.functional.cross_entropy(y, label, label_smoothing=0.1))
        self.assertEqual(graph["recorded"]["values"], "none")
        self.assertEqual(epochcast.Network.from_json(graph).totals()["mac"], 8 * 16 * 16)  # its log_softmax is read twice

    def test_packed_sequences(self):
        """One kernel, as on a GPU: products of as many rows as the sequences have steps."""
        rnn = torch.nn.utils.rnn

        class Packed(torch.nn.Module):
            def __init__(self, kind):
                super().__init__()
                self.words, self.out = torch.nn.Embedding(100, 16), torch.nn.Linear(64, 5)
                self.rnn = getattr(torch.nn, kind)(16, 32, batch_first=True, bidirectional=True)

            def forward(self, ids, lengths):
                packed = rnn.pack_padded_sequence(self.words(ids), lengths.cpu(), batch_first=True, enforce_sorted=False)
                made, last = self.rnn(packed)
                padded, _ = rnn.pad_packed_sequence(made, batch_first=True)
                last = last[0] if isinstance(last, tuple) else last
                return self.out(padded) + self.out(torch.cat((last[0], last[1]), -1))[:, None]
        ids, lengths = torch.randint(100, (4, 12)), torch.tensor([5, 12, 9, 10])
        for kind, gates in (("LSTM", 4), ("GRU", 3)):
            module = Packed(kind)
            graph = recorder.record(module, (ids, lengths))
            seen = graph["recorded"]
            self.assertEqual((seen["values"], seen["unknown"], seen["backward"]["unknown"]), ("none", {}, {}), kind)
            self.assertEqual([node["op"] for node in graph["nodes"]].count(kind.lower()), 1)
            totals = epochcast.Network.from_json(graph).totals()
            self.assertEqual(totals["params"], sum(p.numel() for p in module.parameters()))
            self.assertEqual(totals["mac"], 36 * 2 * gates * 32 * (16 + 32) + 4 * 13 * 64 * 5, kind)

    def test_a_loss_by_the_number_of_samples(self):
        """Divided by the batch, which is a number: the batch stays open. Otherwise the sentence names the module."""
        def loss(y):
            return y.pow(2).sum() / y.shape[0]
        network = epochcast.from_torch(torch.nn.Linear(8, 4), torch.zeros(4, 8), loss)
        self.assertEqual(network.totals(batch=16)["mac"], 16 * 32)
        network = epochcast.from_torch(torch.nn.Linear(8, 4), torch.zeros(4, 8), lambda y: (y - torch.ones(4, 4)).sum())
        for ask in (lambda: epochcast.predict(network, "h100", batch=16), lambda: network.totals(batch=16)):
            with self.assertRaises(epochcast.EpochcastError) as caught:
                ask()
            self.assertTrue(str(caught.exception).startswith("Linear: the network is written for a batch of 4 only"))

    def test_weights_that_are_computed(self):
        """Norms of weights: parameters as PyTorch counts them, and the products of a power iteration."""
        utils = torch.nn.utils
        norms = {"weight_norm": (utils.weight_norm, 0), "spectral_norm": (utils.spectral_norm, 1),
                 "parametrizations.spectral_norm": (utils.parametrizations.spectral_norm, 1)}
        for name, (norm, iterations) in norms.items():
            module = torch.nn.Sequential(norm(torch.nn.Conv2d(3, 8, 3, padding=1)), torch.nn.Flatten(),
                                         norm(torch.nn.Linear(8 * 64, 10)))
            totals = epochcast.from_torch(module, torch.zeros(4, 3, 8, 8)).totals(batch=2)
            self.assertEqual(totals["params"], sum(p.numel() for p in module.parameters()), name)
            weights = 8 * 27 + 10 * 512  # times u, times v, and both once more for the norm, which is a product of vectors
            self.assertEqual(totals["mac"], 2 * (64 * 8 * 27 + 512 * 10) + iterations * (3 * weights + 8 + 10), name)

    def test_what_cannot_be_recorded(self):
        class Broken(torch.nn.Module):
            def forward(self, _x):
                raise RuntimeError("it is broken")
        with self.assertRaises(epochcast.EpochcastError) as caught:
            epochcast.from_torch(Broken(), torch.zeros(2, 3))
        self.assertEqual(caught.exception.status, "E_UNSUPPORTED")
        self.assertIn("Broken: ", str(caught.exception))

    def test_a_training_is_watched(self):
        module, lines = self.module(), []
        optimizer = torch.optim.SGD(module.parameters(), 0.01)
        batches = [(torch.randn(8, 3, 32, 32), torch.randint(10, (8,))) for _ in range(40)]
        w = epochcast.watch(steps=400, say=lines.append)
        for x, y in w(batches):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(module(x), y).backward()
            optimizer.step()
        self.assertRegex(lines[0], r"^epochcast: step \d+ of 400, done at ")
        self.assertLess(w.waiting_frac, 0.5)
