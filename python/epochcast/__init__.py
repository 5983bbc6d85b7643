"""How long will training a network take, on which device, and does it fit?

    import epochcast
    print(epochcast.predict("resnet50", device="rtx4090", batch=64, precision="amp"))

Every function takes a built-in name, a path (ONNX, our JSON, config.json), a Network, or a torch.nn.Module with
`example_inputs`. Keywords are the options of the command `epochcast`, and docs/python.md is read in five minutes. The
package needs nothing but Python 3.8 and its own shared library.
"""
from . import _keywords, ask as _ask
from ._library import EpochcastError
from .ask import Profile, calibrate, check, compare, device, devices, evaluate, memory, plan, predict
from .network import Network, from_torch, zoo
from .prediction import Memory, Prediction, Quantity
from .table import Table
from .watching import Watch, watch

__all__ = ["EpochcastError", "Memory", "Network", "Prediction", "Profile", "Quantity", "Table", "Watch", "calibrate",
           "check", "compare", "device", "devices", "evaluate", "from_torch", "memory", "plan", "predict", "watch", "zoo"]

_keywords.describe(_ask)


def __getattr__(name):
    if name == "__version__":
        from ._library import version
        return version()
    raise AttributeError(f"module 'epochcast' has no attribute {name!r}")
