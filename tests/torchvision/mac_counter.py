"""Multiply-accumulates as PyTorch dispatches them."""
from torch.utils._python_dispatch import TorchDispatchMode


class MacCounter(TorchDispatchMode):
    """Those of all products and convolutions that run while it is active, from their own operands."""

    def __init__(self):
        super().__init__()
        self.mac = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func.__name__.split(".")[0]
        if name == "convolution":
            transposed = args[6]
            self.mac += (args[0] if transposed else out).numel() * args[1][0].numel()
        elif name in ("mm", "bmm"):
            self.mac += out.numel() * args[0].shape[-1]
        elif name in ("addmm", "baddbmm"):
            self.mac += out.numel() * args[1].shape[-1]
        return out
