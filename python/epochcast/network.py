"""Networks: where a model comes from."""
import atexit
import itertools
import json
import os
import shutil
import sys
import tempfile
import threading
import weakref

from . import _library, from_torch as recorder  # which imports PyTorch, if at all, when it is called
from ._library import EpochcastError
from .table import Table

_numbers = itertools.count(1)
_lock = threading.Lock()
_folder = None


def _remove(source):
    _library.written.pop(source, None)
    shutil.rmtree(os.path.dirname(source), True)


def scratch_file(name, text):
    """A file of this process, whose path was never used before: the library reads a path once."""
    global _folder
    with _lock:
        if _folder is None or _folder[0] != os.getpid():
            _folder = os.getpid(), tempfile.mkdtemp(prefix="epochcast-")
            atexit.register(_remove_folder, _folder)
    path = os.path.join(_folder[1], str(next(_numbers)), name)
    os.mkdir(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def _remove_folder(folder):
    if folder[0] == os.getpid():  # a process that was forked must not
        shutil.rmtree(folder[1], ignore_errors=True)


def _file_name(name):
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)[:60].lstrip(".") or "network"


class Network:
    """A network that is read and whose shapes are known. Make it by a `from_` function or `zoo`; every function that
    takes a model also takes the name of a built-in network, a path, or a torch.nn.Module with `example_inputs`.

    name    of the network
    source  what names it for the library: a path, or a built-in name with its parameters
    batch   samples that the file says; 1 where it says none

    Errors  EpochcastError: E_NOT_FOUND, E_PARSE, E_SHAPE, E_IO
    >>> import epochcast
    >>> epochcast.Network.zoo("resnet50")
    <Network resnet50>
    """

    def __init__(self, source, name=None, _owned=False):
        self.source = os.fspath(source)
        own_name, self.batch = _library.open_network(self.source)
        self.name = name or own_name or self.source
        #: whether `source` is a file that goes when the network goes
        self.is_owned = _owned
        if _owned:
            _library.written[self.source] = self.name
            weakref.finalize(self, _remove, self.source)

    @classmethod
    def zoo(cls, name, **parameters):
        """A built-in network, with parameters of its family.

        >>> import epochcast
        >>> epochcast.Network.zoo("cifar_cnn", depth=3, base_filters=32).source
        'cifar_cnn:depth=3,base_filters=32'
        """
        text = ",".join(f"{key}={value}" for key, value in parameters.items())
        return cls(f"{name}{':' if text else ''}{text}")

    @classmethod
    def from_onnx(cls, path):
        """A model that was exported as ONNX; only the shapes of its weights are read.

        >>> import epochcast
        >>> epochcast.Network.from_onnx("examples/resnet50.onnx").name
        'resnet50'
        """
        return cls(os.fspath(path))

    @classmethod
    def from_json(cls, graph, name=None):
        """Our own format (docs/graph-json.md): the text, a dictionary of it, or a path.

        >>> import epochcast
        >>> epochcast.Network.from_json({
        ...     "schema": "epochcast.graph/1", "name": "tiny", "inputs": [{"name": "x", "shape": ["N", 8]}],
        ...     "nodes": [{"name": "fc", "op": "linear", "in": ["x"], "attrs": {"n": 10}}], "outputs": ["fc"]})
        <Network tiny>
        """
        if isinstance(graph, dict):
            graph = json.dumps(graph)
        if isinstance(graph, str) and graph.lstrip()[:1] == "{":
            return cls._of_text(graph, name)
        return cls(os.fspath(graph), name)

    @classmethod
    def from_huggingface(cls, config, name=None):
        """The `config.json` of a model of Hugging Face: a path, a dictionary, or an object of transformers that has
        `to_dict()` or a `config`. docs/hf-config.md lists the types that are read. Nothing is downloaded.

        >>> import epochcast
        >>> gpt2 = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257,
        ...         "n_positions": 1024}
        >>> epochcast.Network.from_huggingface(gpt2).totals()["params"]
        124439808
        """
        config = getattr(config, "config", config)
        if hasattr(config, "to_dict"):
            config = config.to_dict()
        if not isinstance(config, dict):
            path = os.fspath(config)
            return cls(os.path.join(path, "config.json") if os.path.isdir(path) else path, name)
        return cls._of_text(json.dumps(config, default=str), name or config.get("model_type"), "config.json")

    @classmethod
    def from_keras(cls, model, name=None):
        """A model of Keras 2 or 3: the path of a `.keras`, `.h5` or JSON file, the text of `to_json()`, a dictionary of
        it, or the model itself, whose `to_json()` is asked. The weights are not read. docs/keras.md

        >>> import epochcast
        >>> dense = {"class_name": "Dense", "config": {"name": "fc", "units": 10, "batch_input_shape": [None, 784]}}
        >>> epochcast.Network.from_keras({"class_name": "Sequential", "config": {"layers": [dense]}}).totals()["params"]
        7850
        """
        name = name or getattr(model, "name", None)
        if hasattr(model, "to_json"):
            model = model.to_json()
        if isinstance(model, dict):
            model = json.dumps(model)
        if isinstance(model, str) and model.lstrip()[:1] == "{":
            return cls._of_text(model, name or "model")
        return cls(os.fspath(model), name)

    @classmethod
    def from_pt2(cls, path):
        """A program that torch.export.save wrote, of PyTorch 2.6 or later; only the shapes of its weights are read, and PyTorch
        is not needed. docs/pt2.md. Errors: E_UNSUPPORTED for another version, E_PARSE"""
        from . import pt2  # a command of its own too, which is not to be imported before it runs
        try:
            return cls.from_json(pt2.read(os.fspath(path)))
        except pt2.Pt2Error as error:
            raise EpochcastError(str(error), "E_UNSUPPORTED" if "schema" in str(error) else "E_PARSE") from error
        except FileNotFoundError as error:
            raise EpochcastError(f"{path}: {error.strerror}", "E_NOT_FOUND") from error

    @classmethod
    def from_torch(cls, module, example_inputs, loss=None):
        """A torch.nn.Module, without a GPU and without computing: `epochcast.from_torch`."""
        return from_torch(module, example_inputs, loss)

    @classmethod
    def _of_text(cls, text, name=None, file_name=None):
        if not name:
            try:
                name = json.loads(text).get("name")
            except ValueError:
                pass  # the library says what is wrong with it
        path = scratch_file(file_name or f"{_file_name(name or 'network')}.json", text)
        try:
            return cls(path, name, _owned=True)
        except EpochcastError as error:
            raise EpochcastError(str(error).replace(f"{path}: ", ""), error.status) from None

    def __repr__(self):
        return f"<Network {self.name}>"

    def layers(self, batch=None, **options):
        """What each layer computes: parameters, MAC, FLOP of forward and backward, bytes. options: those of
        `epochcast model`.

        >>> import epochcast
        >>> epochcast.Network.zoo("resnet18").layers(batch=8)[0]["layer"]
        'conv1'
        """
        words = ["model", self.source] + words_of(dict(options, batch=batch))
        about = _library.command_json(*words)
        return Table(about.pop("layers"), lambda: self.named(_library.command(*words)[0]), about)

    def totals(self, batch=None, **options):
        """Sums over the layers: params, mac, forward_flop, backward_flop, training_flop, activation_bytes ...

        >>> import epochcast
        >>> epochcast.Network.zoo("resnet18").totals()["params"]
        11689512
        """
        words = ["model", self.source, "--totals"] + words_of(dict(options, batch=batch))
        return _library.command_json(*words)["totals"]

    def to_json(self):
        """The network in our own format, as text.

        >>> import epochcast
        >>> '"epochcast.graph/1"' in epochcast.Network.zoo("resnet18").to_json()
        True
        """
        path = scratch_file("written.json", "")
        try:
            _library.command("model", self.source, "--write", path)
            with open(path, encoding="utf-8") as f:
                return f.read()
        finally:
            shutil.rmtree(os.path.dirname(path), ignore_errors=True)

    def named(self, text):
        """The text with the network's name in place of a file that is ours."""
        return text.replace(self.source, self.name) if self.is_owned else text


def from_torch(module, example_inputs, loss=None):
    """A Network of a torch.nn.Module: what a training step runs, forward and backward, without a GPU and without
    computing.

    module          the module, in the mode (train or eval) in which it trains; it stays as it is
    example_inputs  a tensor, a tuple of the arguments of one call, or a dictionary of them; the first dimension of the
                    first tensor is the batch
    loss            called with what the module returns, gives a scalar; None: a prediction adds the loss that fits
    Errors  EpochcastError: E_UNSUPPORTED for a module that cannot be recorded

        net = epochcast.from_torch(torchvision.models.resnet50(), torch.zeros(64, 3, 224, 224))
        print(epochcast.predict(net, "h100", precision="amp"))
    """
    try:
        return Network.from_json(recorder.record(module, example_inputs, loss))
    except recorder.RecordError as error:
        raise EpochcastError(f"{type(module).__name__}: {error}", "E_UNSUPPORTED") from error


def zoo():
    """The names of the built-in networks, families together.

    >>> import epochcast
    >>> "resnet50" in epochcast.zoo()
    True
    """
    return _library.zoo_names()


def as_network(model, example_inputs=None, loss=None):
    """A Network of what functions take as a model; a str stays one, for the library to read."""
    if example_inputs is None and isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".pt2"):
        return Network.from_pt2(model)
    if example_inputs is None and (isinstance(model, (str, Network))):
        return model
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        if example_inputs is None:
            raise EpochcastError(f"{type(model).__name__} is a torch.nn.Module: give example_inputs, the tensors of one call")
        return Network.from_torch(model, example_inputs, loss)
    if example_inputs is not None:
        raise EpochcastError(f"example_inputs go with a torch.nn.Module, the model is a {type(model).__name__}; expected one "
                             "device, as text")
    if isinstance(model, os.PathLike):
        return os.fspath(model)
    if isinstance(model, dict):
        if "class_name" in model:
            return Network.from_keras(model)
        return Network.from_json(model) if "nodes" in model else Network.from_huggingface(model)
    if hasattr(model, "to_json") and hasattr(model, "layers"):
        return Network.from_keras(model)
    raise EpochcastError(f"a model of type {type(model).__name__}: expected a Network, a built-in name, a path, or a "
                         "torch.nn.Module with example_inputs, a model of Keras; others are exported as ONNX (docs/onnx.md)",
                         "E_UNSUPPORTED")


def source_of(model):
    return model if isinstance(model, str) else model.source


def words_of(options):
    """Options of the command: batch=[32, 64], master_weights=True, host=None -> --batch 32,64 --master-weights"""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is False:
            words.append("--no-" + flag[2:])
        elif isinstance(value, (list, tuple, range)):
            words += [flag, ",".join(map(str, value))]
        elif value is not None:
            words += [flag, str(value)]
    return words
