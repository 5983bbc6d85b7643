"""A torch.nn.Module in the place of a model, where PyTorch is there."""
import unittest

import epochcast

try:
    import torch
except ImportError:
    torch = None


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
