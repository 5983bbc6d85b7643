"""Record what a training step of a PyTorch module runs: forward and backward, without a GPU and without computing.

    graph = record(module, example_inputs, loss=None)

The module is copied to the device `meta`, whose tensors have shapes and no elements, and is run once, forward and
backward, below autograd. What it calls there are operators of aten; aten.csv says which of ours they are. Where
shapes follow from data the step runs again on real tensors, and a note in the network says so. Parameters that
are shared, frozen or never used, dropout, norms in training mode, checkpointed regions and custom functions are
taken as they are. PyTorch 1.13 and 2.x; which functions are there is asked, not guessed from the version.
"""
import copy
import functools
import re
import traceback
import warnings
import weakref

try:
    from . import aten
except ImportError:  # as a file beside the others
    import aten

DTYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64", "int64": "i64", "int32": "i32",
          "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool", "complex64": "f64"}
REAL_MAX_ELEMS = 1 << 24  # constants with more elements have none


class RecordError(Exception):
    """A module that cannot be recorded, and why."""


def record(module, example_inputs, loss=None):
    """The training step of a module as a network of the form epochcast.graph/1.

    module          torch.nn.Module, in the mode (train or eval) in which it trains; it stays as it is
    example_inputs  a tensor, a tuple of arguments, or a dict of them; the first dimension of the first tensor is
                    the batch. Elements are read only where shapes follow from them.
    loss            called with what the module returns; gives a scalar. None: gradients of all outputs are taken
                    as given, and a prediction adds the loss that fits them.
    Returns a dict. Beside the network it has the key "recorded": how it was recorded, unknown operators, what
    backward ran, bytes saved for it, modules that run again in it.
    Errors: RecordError

    >>> import torch                                                        # doctest: +SKIP
    >>> record(torch.nn.Linear(3, 5), torch.zeros(2, 3))["nodes"][0]["op"]  # doctest: +SKIP
    'linear'
    """
    torch = _torch()
    args, kwargs = _arguments(example_inputs)
    sizes = _batch(torch, (args, kwargs))
    try:
        graph = _record(torch, module, args, kwargs, loss, "meta")
    except Exception as why:  # whatever reads elements: an error of PyTorch, or of the module
        traceback.clear_frames(why.__traceback__)  # which hold all tensors
        graph = _on_real(torch, module, args, kwargs, loss, why)
        graph["batch"] = sizes or 1
        return graph
    if not sizes:
        return graph
    try:
        # At a second batch too: what differs follows from the batch.
        other = _record(torch, module, *_grown(torch, args, kwargs, sizes), loss, "meta")
    except Exception:  # such as a target of its own size in the loss
        other = None
    if other is None or not _unify(graph, other, sizes):
        graph["notes"].append("recorded for a batch of %d, and answers for that one only: its size is inside the network" % sizes)
    graph["batch"] = sizes
    return graph


# Of the last, those that keep as many states of a parameter's size and pass over them as often (torch/optim): two
# moments of Adam; Adamax's moment and largest gradient; Rprop's last gradient and step sizes; ASGD's mean of weights.
OPTIMIZERS = {"SGD": "sgd", "Adam": "adam", "AdamW": "adamw", "RMSprop": "rmsprop", "Adagrad": "adagrad",
              "Adadelta": "adadelta", "NAdam": "adam", "RAdam": "adam", "Adamax": "adam", "Rprop": "adam",
              "ASGD": "momentum", "Adafactor": "adafactor", "Lion": "lion", "Lamb": "lamb", "LAMB": "lamb",
              "Muon": "muon", "AdamW8bit": "adamw_8bit", "Adam8bit": "adamw_8bit", "PagedAdamW8bit": "adamw_8bit",
              "PagedAdam8bit": "adamw_8bit"}
NEAREST = {"SparseAdam": '"adam", which updates whole tables',
           "LBFGS": '"adam"; it keeps up to history_size steps and runs the model several times in one'}


def optimizer_of(optimizer, module=None):
    """What a prediction needs of a torch.optim object.

    module  the module that it trains, to name what it leaves alone
    Returns a dict: "optimizer" (the word of the option), "update" (fused, foreach, loop, or default: as the version of
    PyTorch chooses), "groups", "trained" (elements of its parameters that have gradients), "frozen" (elements of the
    module's parameters that it does not change), "notes" (sentences on what no option says).
    Errors: RecordError for a kind that no prediction knows
    """
    kind, groups = type(optimizer).__name__, optimizer.param_groups
    word = next((OPTIMIZERS[c.__name__] for c in type(optimizer).__mro__ if c.__name__ in OPTIMIZERS), None)
    if word is None:
        nearest = "; the nearest is optimizer=%s" % NEAREST[kind] if kind in NEAREST else ""
        raise RecordError("the optimizer %s is not known, expected one of %s%s" % (
            kind, ", ".join(sorted(OPTIMIZERS)), nearest))
    if word == "sgd" and any(group.get("momentum") for group in groups):
        word = "momentum"
    asked = {name for name in ("fused", "foreach") for group in groups if group.get(name)}
    refused = any(group.get("foreach") is False for group in groups)
    update = "fused" if "fused" in asked else "foreach" if asked else "loop" if refused else "default"
    trained = {id(p): p.numel() for group in groups for p in group.get("params", ()) if p.requires_grad}
    own = {id(p): p.numel() for p in module.parameters()} if module is not None else {}
    frozen = sum(elems for at, elems in own.items() if at not in trained)
    notes = []
    if word != kind.lower() and word != "momentum":
        notes.append("%s is predicted as %s" % (kind, word))
    if word in ("adam", "adamw") and any(group.get("amsgrad") for group in groups):
        notes.append("amsgrad keeps a third state, which is not counted")
    if word == "rmsprop" and any(group.get("momentum") or group.get("centered") for group in groups):
        notes.append("RMSprop with momentum or centered keeps more states, which are not counted")
    left = sum(p.numel() for p in module.parameters() if p.requires_grad and id(p) not in trained) if own else 0
    if left:
        notes.append("%d elements have gradients and are in no group of the optimizer: their update is counted" % left)
    return {"optimizer": word, "update": update, "groups": len(groups), "trained": sum(trained.values()),
            "frozen": frozen, "notes": notes}


def _torch():
    try:
        import torch
    except ImportError as why:
        raise RecordError("PyTorch is not there: %s" % why) from why
    return torch


def _arguments(example_inputs):
    if isinstance(example_inputs, dict):
        return (), dict(example_inputs)
    if isinstance(example_inputs, tuple):
        return example_inputs, {}
    return (example_inputs,), {}


# ----------------------------------------------------------------------------------------------
# Trees of tensors

def _map(torch, tree, change):
    """The same tree with each tensor changed."""
    if isinstance(tree, torch.Tensor):
        return change(tree)
    if isinstance(tree, dict):
        made = {key: _map(torch, value, change) for key, value in tree.items()}
        try:
            return type(tree)(made)
        except TypeError:
            return made
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_map(torch, value, change) for value in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(_map(torch, value, change) for value in tree)
    return tree


def _tensors(torch, tree):
    found = []
    if hasattr(tree, "to_tuple"):  # outputs of Hugging Face's models
        tree = tree.to_tuple()
    _map(torch, tree, lambda t: found.append(t) or t)
    return found


def _batch(torch, tree):
    tensors = [t for t in _tensors(torch, tree) if t.dim() > 0]
    return tensors[0].shape[0] if tensors and tensors[0].shape[0] > 0 else 0


def _grown(torch, args, kwargs, batch):
    """Arguments with one more sample."""
    def grow(t):
        if t.dim() == 0 or t.shape[0] != batch:
            return t
        if not (t.is_meta or t.is_floating_point()):
            return torch.cat((t, t[:1]))  # indices and masks, whose elements may be read
        return torch.empty((batch + 1,) + tuple(t.shape[1:]), dtype=t.dtype, device="meta")
    return _map(torch, args, grow), _map(torch, kwargs, grow)


def _copy_of(torch, module, device):
    """A copy whose parameters and buffers are on the device, shared where they were shared."""
    memo = {}
    for tensor in list(module.parameters()) + list(module.buffers()):
        made = (torch.empty_like(tensor, device="meta", memory_format=torch.preserve_format) if device == "meta" else
                tensor.detach().to(device).clone())
        if isinstance(tensor, torch.nn.Parameter):
            made = torch.nn.Parameter(made, requires_grad=tensor.requires_grad)
        memo[id(tensor)] = made
    for part in module.modules():  # a weight that weight_norm computes before each step
        for tensor in vars(part).values():
            if isinstance(tensor, torch.Tensor) and not tensor.is_leaf:
                memo[id(tensor)] = torch.empty_like(tensor, device=device, requires_grad=False)
    return copy.deepcopy(module, memo)


def _json_number(number):
    return int(number) if isinstance(number, bool) else number if abs(number) < float("inf") else str(number)


# ----------------------------------------------------------------------------------------------
# The recorder

def _record(torch, module, args, kwargs, loss, device):
    copied = _copy_of(torch, module, device)
    recorder = _recorder_class(torch)(torch, device)
    recorder.adopt(copied, module)
    args, kwargs = _map(torch, args, recorder.input), _map(torch, kwargs, recorder.input)
    with warnings.catch_warnings(), recorder.running(copied):
        warnings.simplefilter("ignore")
        with torch.enable_grad(), recorder.saving():
            outputs = copied(*args, **kwargs)
            if loss is not None:
                outputs = loss(outputs)
        results = [t for t in _tensors(torch, outputs) if t.is_floating_point()]
        if loss is not None and len(results) != 1:
            raise RecordError("the loss returned %d tensors, expected one" % len(results))
        recorder.end_forward()
        wanted = [t for t in results if t.requires_grad]
        if wanted:
            torch.autograd.backward(wanted, [torch.empty_like(t) for t in wanted])
    return recorder.graph(type(module).__name__, results)


def _on_real(torch, module, args, kwargs, loss, why):
    device = "cpu"
    for tensor in module.parameters():
        device = tensor.device if tensor.device.type not in ("meta",) else device
        break
    if any(t.device.type == "meta" for t in list(module.parameters()) + _tensors(torch, (args, kwargs))):
        raise RecordError("the module cannot be recorded without its values: %s" % why) from why
    try:
        graph = _record(torch, module, args, kwargs, loss, device)
    except Exception as second:
        raise RecordError("the module does not run: %s" % str(second).split("\n")[0]) from second
    asked = re.search(r"\b\w+::\w+", str(why))  # the operator that asked for values
    graph["notes"].append("recorded on real tensors, for shapes follow from values (%s); other data give another network"
                          % (asked.group() if asked else str(why).split("\n")[0][:80]))
    return graph


@functools.lru_cache(maxsize=None)
def _recorder_class(torch):
    from torch.utils._python_dispatch import TorchDispatchMode

    # Asked of a number that autograd kept as a tensor, they must return a tensor.
    plain = (torch.ops.aten.detach.default, torch.ops.aten.alias.default)

    class Recorder(TorchDispatchMode):
        """Sees each operator of aten that runs, below autograd, and adds it to the network or to backward's list."""

        def __init__(self, torch, device):
            super().__init__()
            self.device, self.meta = device, device == "meta"
            self.net = aten.Network("")
            self.values, self.alive = {}, {}  # id of a tensor -> Value, and a weak reference: it goes when the tensor does
            self.path, self.quiet, self.forward = [], 0, True
            self.backward, self.saved, self.saved_bytes = [], set(), 0
            self.again = []  # paths of the modules that backward runs again
            self.metas = {}
            self.known = {}  # id of a tensor on meta -> its elements, where they follow from indices and constants

        # --- tensors and values ---

        def value_of(self, tensor, kind="constant", name="", trainable=False):
            value = self.values.get(id(tensor))
            if value is None:
                value = aten.Value(tensor.shape, DTYPES.get(str(tensor.dtype)[6:], "f32"), kind, name, trainable)
                if kind == "constant" and not tensor.is_meta and tensor.dim() == 0:
                    value.contents = [_json_number(tensor.item())]
                self.know(tensor, value)
            return value

        def know(self, tensor, value):
            self.values[id(tensor)] = value
            self.follow(tensor)

        def follow(self, tensor):
            at = id(tensor)
            if at not in self.alive:
                self.alive[at] = weakref.ref(tensor, functools.partial(self.gone, at))

        def gone(self, at, _reference):
            """Another tensor may have the id next."""
            for held in (self.alive, self.values, self.known, self.metas):
                held.pop(at, None)

        def adopt(self, module, original):
            for name, parameter in module.named_parameters():
                self.value_of(parameter, "param", name, parameter.requires_grad)
            for (name, buffer), own in zip(module.named_buffers(), original.buffers()):
                self.value_of(buffer, "buffer", name)
                self.remember(buffer, own)

        def input(self, tensor):
            if self.meta:
                made = torch.empty_like(tensor, device="meta").requires_grad_(tensor.requires_grad)
            else:
                made = tensor.detach().to(self.device).requires_grad_(tensor.requires_grad)
            self.value_of(made, "input", "input")
            self.remember(made, tensor.detach())
            return made

        def on_meta(self, tensor):
            """A tensor of the module's own making, among those without elements."""
            if not isinstance(tensor, torch.Tensor) or tensor.is_meta:
                return tensor
            if tensor.dim() == 0:
                return tensor
            made = self.metas.get(id(tensor))
            if made is None:
                self.value_of(tensor)
                made = self.metas[id(tensor)] = torch.empty_like(tensor, device="meta")
                self.know(made, self.values[id(tensor)])
                self.known[id(made)] = tensor.detach()  # the same elements, and `tensor` may go
            return made

        # --- elements that are known ---

        def remember(self, made, tensor):
            """Indices and masks of the example keep their elements: modules decide by them which kernels run."""
            if made.is_meta and not tensor.is_meta and not tensor.is_floating_point() and tensor.numel() <= REAL_MAX_ELEMS:
                self.known[id(made)] = tensor

        def with_elements(self, func, args, kwargs):
            """The same arguments with elements, where those of all tensors are known; else None."""
            tensors = _tensors(torch, (args, kwargs))
            on_meta = str(kwargs.get("device")) == "meta"
            if not all(t.is_meta and id(t) in self.known or not t.is_meta for t in tensors) or not (
                    on_meta and func.__name__.split(".")[0] in FILLED if not tensors else any(t.is_meta for t in tensors)):
                return None
            kwargs = dict(kwargs, device=torch.device("cpu")) if on_meta else kwargs

            def elements(t):
                return self.known.get(id(t), t)
            return _map(torch, args, elements), _map(torch, kwargs, elements)

        def learn(self, func, given, out):
            """Runs the call on elements, too; where its shape follows from them, that is the result."""
            with torch.no_grad():
                real = func(*given[0], **given[1])
            if func._schema.name in NO_FALLBACK:
                out = _map(torch, real, lambda t: torch.empty_like(t, device="meta"))
            elif isinstance(out, torch.Tensor) and not out.is_meta:  # .cpu()
                return real
            for made, tensor in zip(_tensors(torch, out), _tensors(torch, real)):
                if made.is_meta and tensor.numel() <= REAL_MAX_ELEMS:
                    self.follow(made)
                    self.known[id(made)] = tensor
            return out

        def forget(self, func, args):
            """What is written over by what is not known."""
            for argument, t in zip(func._schema.arguments, args):
                if argument.alias_info is not None and argument.alias_info.is_write and id(t) in self.known:
                    owner = self.values[id(t)].of
                    for key in [key for key in self.known if key in self.values and self.values[key].of is owner]:
                        del self.known[key]

        # --- what runs ---

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if self.quiet:
                return self.compute(func, args, kwargs)
            args, kwargs = self.settle(func, args, kwargs)
            given = self.with_elements(func, args, kwargs) if self.meta else None
            if given is None:
                self.forget(func, args)
                out = self.compute(func, args, kwargs)
                if self.meta and func is torch.ops.aten._to_copy.default and args[0].is_meta and not out.is_meta:
                    out = torch.empty_like(out, device="meta")  # .cpu(), which has no elements to copy
            else:
                out = None if func._schema.name in NO_FALLBACK else self.compute(func, args, kwargs)
                out = self.learn(func, given, out)
            self.log(func, args, kwargs, out)
            return out

        def settle(self, func, args, kwargs):
            """All on meta, if one is."""
            if not self.meta:
                return args, kwargs
            tensors = _tensors(torch, (args, kwargs))
            if any(t.is_meta for t in tensors) and not all(t.is_meta for t in tensors):
                args, kwargs = _map(torch, args, self.on_meta), _map(torch, kwargs, self.on_meta)
            if not tensors and "size" in [a.name for a in func._schema.arguments[:1]]:
                size = args[0] if args else kwargs.get("size", ())
                elems = 1
                for extent in size:
                    elems *= extent
                if elems > REAL_MAX_ELEMS:
                    kwargs = dict(kwargs, device=torch.device("meta"), pin_memory=None)
            return args, kwargs

        def compute(self, func, args, kwargs):
            shape = SHAPES.get(func.__name__.split(".")[0]) if self.meta else None
            if shape is not None and any(t.is_meta for t in _tensors(torch, args)):
                return shape(torch, *args, **kwargs)
            if func in plain and not isinstance(args[0], torch.Tensor):
                return torch.scalar_tensor(args[0])
            if self.meta and func._schema.name == "aten::masked_select" and args[0].shape == args[1].shape:
                func, args = torch.ops.aten.index.Tensor, (args[0], [args[1]])
            if self.meta and func._schema.name == "aten::index":
                args = self.with_indices(func, args)
            try:
                out = func(*args, **kwargs)
                return torch.scalar_tensor(out) if func in plain and not isinstance(out, torch.Tensor) else out
            except NotImplementedError:
                if not self.meta or func._schema.name in NO_FALLBACK:
                    raise
                return self.decomposed(func, args, kwargs)

        def with_indices(self, func, args):
            """Masks as the indices of what they let through, where their elements are known: shapes follow from them."""
            def indices(mask):
                if mask is None or not mask.is_meta or mask.dtype not in (torch.bool, torch.uint8):
                    return [mask]
                if id(mask) not in self.known:
                    raise NotImplementedError(func._schema.name)
                return [torch.empty_like(at, device="meta") for at in self.known[id(mask)].nonzero().unbind(1)]
            return args[0], [one for given in args[1] for one in indices(given)]

        def decomposed(self, func, args, kwargs):
            """Shapes of an operator that meta has not: those of what it is made of, else of a run on zeros."""
            try:
                from torch._decomp import decomposition_table
            except ImportError:
                decomposition_table = {}
            rule = decomposition_table.get(func)
            if rule is not None:
                self.quiet += 1
                try:
                    return rule(*args, **kwargs)
                except Exception:  # then by its kernel
                    pass
                finally:
                    self.quiet -= 1

            def real(t):
                return torch.zeros(t.shape, dtype=t.dtype) if t.is_meta else t
            self.quiet += 1
            try:
                out = func(*_map(torch, args, real), **_map(torch, kwargs, real))
                return _map(torch, out, lambda t: torch.empty_like(t, device="meta"))
            finally:
                self.quiet -= 1

        def log(self, func, args, kwargs, out):
            schema = func._schema
            given = list(args)
            for at in range(len(given), len(schema.arguments)):
                argument = schema.arguments[at]
                given.append(kwargs.get(argument.name, argument.default_value if argument.has_default_value() else None))
            name = func.__name__.split(".")[0]
            writes = [at for at, argument in enumerate(schema.arguments)
                      if argument.alias_info is not None and argument.alias_info.is_write
                      and isinstance(given[at], torch.Tensor)]
            if name.endswith("_") and not name.startswith("__") and writes:
                name = name[:-1]
            if name in ("native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update"):
                writes = []  # running statistics
            views = any(argument.alias_info is not None for argument in schema.arguments) and not writes
            self.add(name, given, out, writes, views or name in ("_unsafe_view", "lift_fresh"))

        def add(self, name, given, out, writes=(), views=False, unknown=None):
            outs = _tensors(torch, out)
            if not outs:
                return
            args = [_map(torch, a, self.value_of) if isinstance(a, (torch.Tensor, list, tuple)) else a for a in given]
            call = aten.Call(name, args, [], ".".join(self.path[-1:]), writes, unknown)
            for tensor in outs:
                value = self.values.get(id(tensor))
                if value is None or (not writes and id(tensor) not in [id(t) for t in _tensors(torch, given)]):
                    value = aten.Value(tensor.shape, DTYPES.get(str(tensor.dtype)[6:], "f32"))
                    if views and isinstance(args[0], aten.Value):
                        value.of, value.view, value.kind = args[0].of, call, args[0].kind
                        value.kind = "constant" if value.kind == "constant" else "computed"
                    self.know(tensor, value)
                    if not tensor.is_meta and tensor.dim() == 0 and not list(aten.values_in(args)):
                        value.contents = [_json_number(tensor.item())]
                call.outs.append(value)
            if self.forward:
                self.net.run(call)
            elif not self.path:
                self.backward.append(call)

        # --- saved for backward ---

        def saving(self):
            def pack(tensor):
                if not self.quiet:
                    self.keep(tensor)
                return tensor
            return torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor)

        def keep(self, tensor):
            value = self.values.get(id(tensor))
            owner = value.of if value is not None else None
            if owner in self.saved or owner is not None and owner.kind in ("param", "buffer", "input", "constant"):
                return
            if owner is not None:
                self.saved.add(owner)
            self.saved_bytes += (owner.elems if owner else tensor.numel()) * tensor.element_size()

        # --- around the run ---

        def running(self, module):
            return _Running(torch, self, module)

        def end_forward(self):
            self.forward = False

        def graph(self, name, results):
            net = self.net
            net.name = name
            outputs = []
            for tensor in results:
                value = self.value_of(tensor)
                call = aten.Call("output", [value], [value])
                outputs.append(net.plain(call, net.get(call, value)))
            for value in list(self.values.values()):  # parameters that no operator read
                if value.kind == "param" and value not in net.owner:
                    net.declare(value)
            made = net.graph(outputs, 1, self.values.values())
            for path in self.again:
                if path in net.first_of:
                    net.first_of[path]["begins_block"] = True
            if net.unknown:
                net.notes.append("operators without a row, costed by their bytes: " + ", ".join(
                    "%s (%d)" % item for item in sorted(net.unknown.items())))
            made["recorded"] = {
                "torch": torch.__version__, "values": "none" if self.meta else "real", "unknown": dict(net.unknown),
                "saved_bytes": self.saved_bytes, "runs_again": self.again,
                "backward": summary(net.rows, self.backward)}
            return made

    return Recorder


class _Running:
    """Hooks that follow which module runs, functions that one kernel replaces on a GPU, and the recorder itself."""

    def __init__(self, torch, recorder, module):
        self.torch, self.recorder, self.module, self.hooks = torch, recorder, module, []

    def __enter__(self):
        recorder = self.recorder
        for name, module in self.module.named_modules():
            self.hooks.append(module.register_forward_pre_hook(functools.partial(self.enter, name)))
            try:  # also where a checkpointed region stops early, by an exception
                self.hooks.append(module.register_forward_hook(self.leave, always_call=True))
            except TypeError:
                self.hooks.append(module.register_forward_hook(self.leave))
        fused = self.fused = _fused_class(self.torch)
        for module in self.module.modules():
            if recorder.meta and type(module).__name__ in DROP_PATHS and module.training:
                module.forward = functools.partial(_drop_path, self.torch, recorder, fused, module)
            elif isinstance(module, self.torch.nn.SyncBatchNorm):  # which runs on GPUs alone
                module.forward = functools.partial(self.torch.nn.BatchNorm2d.forward, module)
        self.functions = _functions(self.torch, recorder, fused)
        self.custom = _CustomFunctions(self.torch, recorder)
        self.custom.__enter__()
        self.functions.__enter__()
        recorder.__enter__()
        return self

    def enter(self, name, module, args):
        if not self.recorder.forward and not self.recorder.path:
            self.recorder.again.append(name)
            self.again = _functions(self.torch, self.recorder, self.fused)  # PyTorch 2 runs backward without the first
            self.again.__enter__()
        self.recorder.path.append(name)

    def leave(self, module, args, output):
        self.recorder.path.pop()
        if not self.recorder.forward and not self.recorder.path:
            self.again.__exit__(None, None, None)

    def __exit__(self, *why):
        self.recorder.__exit__(*why)
        self.functions.__exit__(*why)
        self.custom.__exit__(*why)
        for hook in self.hooks:
            hook.remove()


# ----------------------------------------------------------------------------------------------
# Operators without a kernel for meta

def _convolution_backward(torch, grad, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
                          groups, output_mask):
    made = [torch.empty_like(x, device="meta"), torch.empty_like(weight, device="meta"),
            torch.empty(weight.shape[1] * groups if transposed else weight.shape[0], device="meta")]
    return tuple(t if wanted else None for t, wanted in zip(made, output_mask))


def _cdist_forward(torch, a, b, *more, **options):
    return torch.empty(torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-2]), device="meta")


def _multinomial(torch, x, samples, *more, **options):
    return torch.empty(x.shape[:-1] + (samples,), dtype=torch.int64, device="meta")


def _huber_loss_backward(torch, grad, x, *more, **options):
    return torch.empty_like(x, device="meta")


SHAPES = {"convolution_backward": _convolution_backward, "huber_loss_backward": _huber_loss_backward,
          "_cdist_forward": _cdist_forward, "multinomial": _multinomial}
NO_FALLBACK = ("aten::_local_scalar_dense", "aten::nonzero", "aten::item", "aten::equal", "aten::masked_select",
               "aten::is_nonzero", "aten::_unique2", "torchvision::nms")
FILLED = ("arange", "zeros", "ones", "full", "scalar_tensor", "eye", "linspace")  # made of no tensor: their elements are known


# ----------------------------------------------------------------------------------------------
# Functions that PyTorch runs as one kernel on a GPU, and in pieces where there is none

def _functions(torch, recorder, fused):
    from torch.overrides import TorchFunctionMode
    functional = torch.nn.functional
    originals = {}
    for owner, name, rule in (
            (functional, "dropout", _dropout), (torch, "dropout", _dropout),
            (functional, "scaled_dot_product_attention", _attention),
            (torch, "lstm", _rnn), (torch, "gru", _rnn), (torch, "rnn_tanh", _rnn), (torch, "rnn_relu", _rnn)):
        if hasattr(owner, name):
            originals[getattr(owner, name)] = name, rule
    by_name = {"grouped_mm_fallback": ("_grouped_mm", _grouped)}  # of transformers: a product for each expert, by its rows
    repeats = (torch.repeat_interleave, torch.Tensor.repeat_interleave)
    variable = getattr(torch, "_VF", None)
    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu", "dropout"):
        if variable is not None and hasattr(variable, name):
            originals.setdefault(getattr(variable, name), (name, _dropout if name == "dropout" else _rnn))

    packing = {getattr(variable, name): rule for name, rule in (
        ("_pack_padded_sequence", _pack), ("_pad_packed_sequence", _pad)) if hasattr(variable, name)}

    def one_kernel(spec):
        return fused.apply(recorder, spec, *spec.tensors)

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if func in packing and recorder.meta:
                made = packing[func](torch, recorder, *args)
                return func(*args) if made is None else made
            if func in repeats and recorder.meta and len(args) == 3 and isinstance(args[1], int) and not kwargs:
                x, times, axis = args  # its number of rows would be read from a tensor
                return x.index_select(axis, torch.empty(x.shape[axis] * times, dtype=torch.int64, device="meta"))
            if func is functional.one_hot and recorder.meta and len(args) + len(kwargs) == 2:
                x, classes = dict(zip(("tensor", "num_classes"), args), **kwargs).values()
                if classes > 0 and isinstance(x, torch.Tensor) and x.is_meta:  # what it does where it need not look at them
                    zeros = torch.zeros(x.shape + (classes,), dtype=torch.int64, device="meta")
                    return zeros.scatter(-1, x.unsqueeze(-1), 1)
            found = originals.get(func) or by_name.get(getattr(func, "__name__", "").split(".")[0])
            if found and recorder.meta and not recorder.quiet:
                if found[1] is _rnn and len(args) == 9 and isinstance(args[3], (list, tuple)):
                    return _packed_rnn(torch, one_kernel, found[0], *args)
                spec = found[1](torch, found[0], args, kwargs)
                if spec is not None:
                    return one_kernel(spec)
            return func(*args, **kwargs)

    return Functions()


class _Spec:
    """One kernel: what it is called with, the shapes it makes, and what it keeps: inputs and outputs by position,
    further tensors by shape and type. mac: multiply-accumulates of its backward."""

    def __init__(self, name, args, tensors, outs, keep=(), more=(), mac=0):
        self.name, self.args, self.tensors, self.outs = name, args, tensors, outs
        self.keep, self.more, self.mac = keep, more, mac


def _fused_class(torch):
    class Fused(torch.autograd.Function):
        @staticmethod
        def forward(ctx, recorder, spec, *tensors):
            recorder.quiet += 1
            try:
                like = tensors[0]
                outs = [torch.empty(shape, dtype=like.dtype, device="meta") for shape in spec.outs]
                for shape, dtype in spec.more:
                    recorder.saved_bytes += torch.empty(shape, dtype=dtype, device="meta").element_size() * (
                        torch.Size(shape).numel())
            finally:
                recorder.quiet -= 1
            at = {id(t): k for k, t in enumerate(spec.tensors)}
            given = _map(torch, spec.args, lambda t: tensors[at[id(t)]] if id(t) in at else t)
            recorder.add(spec.name, list(given), outs)
            ctx.save_for_backward(*[tensors[k] for k in spec.keep if k >= 0], *[outs[-1 - k] for k in spec.keep if k < 0])
            ctx.recorder, ctx.spec, ctx.shapes = recorder, spec, [(t.shape, t.dtype) for t in tensors]
            return outs[0] if len(outs) == 1 else tuple(outs)

        @staticmethod
        def backward(ctx, *grads):
            recorder, spec = ctx.recorder, ctx.spec
            recorder.quiet += 1
            try:
                made = [torch.empty(shape, dtype=dtype, device="meta") if needed else None
                        for (shape, dtype), needed in zip(ctx.shapes, ctx.needs_input_grad[2:])]
            finally:
                recorder.quiet -= 1
            recorder.add(spec.name + "_backward", [spec.mac], [t for t in made if t is not None])
            return (None, None) + tuple(made)

    return Fused


DROP_PATHS = {"StochasticDepth": "p", "DropPath": "drop_prob"}  # torchvision, timm: {class: name of its share}


def _drop_path(torch, recorder, fused, module, x):
    """Stochastic depth: a mask of whole samples, and one pass over the elements."""
    p = getattr(module, DROP_PATHS[type(module).__name__], 0) or 0
    if not p:
        return x
    return fused.apply(recorder, _Spec("stochastic_depth", [x, p], [x], [x.shape], more=[
        ((x.shape[0],), torch.float32)]), x)


def _dropout(torch, name, args, kwargs):
    names = ("input", "p", "training" if name == "dropout" else "train", "inplace")
    given = dict(zip(names, args), **kwargs)
    x, p = given["input"], given.get("p", 0.5)
    if not given.get("training", given.get("train", True)) or p == 0 or given.get("inplace"):
        return None
    return _Spec("dropout", [x, p], [x], [x.shape], more=[(x.shape, torch.bool)])


def _attention(torch, name, args, kwargs):
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
    given = dict(zip(names, args), **kwargs)
    q, k, v = given["query"], given["key"], given["value"]
    out = tuple(q.shape[:-1]) + (v.shape[-1],)
    rows = torch.Size(q.shape[:-1]).numel()
    mac = rows * k.shape[-2] * (3 * q.shape[-1] + 2 * v.shape[-1])
    return _Spec("scaled_dot_product_attention",
                 [q, k, v, given.get("attn_mask"), given.get("dropout_p", 0.0), given.get("is_causal", False)],
                 [q, k, v], [out], keep=(0, 1, 2, -1), more=[(q.shape[:-1], torch.float32)], mac=mac)


def _grouped(torch, name, args, kwargs):
    a, b, offs = dict(zip(("input", "weight", "offs"), args), **kwargs).values()
    return _Spec(name, [a, b, offs], [a, b], [(a.shape[0], b.shape[-1])], keep=(0, 1), mac=2 * a.numel() * b.shape[-1])


def _rnn(torch, name, args, kwargs):
    if kwargs or len(args) != 9 or not isinstance(args[2], (list, tuple)):
        return None
    x, state, weights, bias, layers, drop, train, both, first = args
    states = list(state) if isinstance(state, (list, tuple)) else [state]
    hidden, ways = weights[1].shape[1], 2 if both else 1
    if x.dim() != 3 or states[0].shape[-1] != hidden or weights[0].shape[0] // hidden not in (1, 3, 4):
        return None  # one sequence, or with a projection
    out = tuple(x.shape[:2]) + (hidden * ways,)
    outs = [out] + [tuple(t.shape) for t in states]
    gates = weights[0].shape[0] // hidden
    rows = x.shape[0] * x.shape[1]
    mac = sum(w.numel() for w in weights if w.dim() == 2) * rows * 2
    kept = {1: 0, 3: 4, 4: 5}[gates] + (layers - 1) / layers  # gates and cells; outputs of the layers below
    tensors = [x] + states + list(weights)
    return _Spec(name, [x, state, list(weights), bias, layers, drop, train, both, first], tensors, outs,
                 keep=(0, -1), more=[((int(layers * rows * hidden * ways * kept),), torch.float32)], mac=mac)


# Sequences of several lengths, packed: (rows, features), a row for each step of each. Rows are taken by index; their
# lengths are those of the example.

def _pack(torch, recorder, x, lengths, batch_first):
    lengths = recorder.known.get(id(lengths)) if lengths.is_meta else lengths
    if lengths is None:
        return None
    lengths = lengths.tolist()
    rows = torch.empty(sum(lengths), dtype=torch.int64, device="meta")
    sizes = torch.tensor([sum(length > at for length in lengths) for at in range(max(lengths))])
    return x.flatten(0, 1).index_select(0, rows), sizes


def _pad(torch, recorder, data, sizes, batch_first, value, steps):
    sizes = sizes.tolist()
    rows = torch.empty(sizes[0] * steps, dtype=torch.int64, device="meta")
    shape = (sizes[0], steps) if batch_first else (steps, sizes[0])
    lengths = torch.tensor([sum(size > at for size in sizes) for at in range(sizes[0])])
    return data.index_select(0, rows).view(shape + data.shape[1:]), lengths


def _packed_rnn(torch, one_kernel, name, data, sizes, state, weights, bias, layers, drop, train, both):
    """As many sequences of one length as have as many rows, nearly."""
    rows = data.shape[0]
    count = max(1, round(rows / len(sizes)))
    steps = max(1, round(rows / count))

    def rows_of(x, wanted):
        return x[:wanted] if wanted <= x.shape[0] else torch.nn.functional.pad(x, (0, 0, 0, wanted - x.shape[0]))
    states = list(state) if isinstance(state, (list, tuple)) else [state]
    first = [torch.zeros(t.shape[0], count, t.shape[2], dtype=t.dtype, device="meta") for t in states]
    spec = _rnn(torch, name, (rows_of(data, count * steps).view(count, steps, -1), first if len(first) > 1 else first[0],
                              list(weights), bias, layers, drop, train, both, True), {})
    if spec is None:
        raise NotImplementedError("aten::%s of packed sequences, with a projection" % name)
    out, *last = one_kernel(spec)
    every = torch.empty(states[0].shape[1], dtype=torch.int64, device="meta")
    return (rows_of(out.flatten(0, 1), rows),) + tuple(t.index_select(1, every) for t in last)


class _CustomFunctions:
    """While it is open, functions that users derive from torch.autograd.Function are one call each."""

    def __init__(self, torch, recorder):
        self.torch, self.recorder = torch, recorder

    def __enter__(self):
        torch, recorder, base = self.torch, self.recorder, self.torch.autograd.Function
        self.had = base.__dict__.get("apply")
        plain = base.apply.__func__ if hasattr(base.apply, "__func__") else None

        def apply(cls, *args, **kwargs):
            run = functools.partial(plain, cls) if plain is not None else super(base, cls).apply
            where = cls.__module__
            if recorder.quiet or not recorder.forward or where.startswith("torch.") or where == __name__ or (
                    cls.__name__ == "Fused"):
                return run(*args, **kwargs)
            recorder.quiet += 1
            try:
                out = run(*args, **kwargs)
            finally:
                recorder.quiet -= 1
            recorder.add(cls.__name__, list(args), out, unknown=cls.__name__)
            for tensor in _tensors(torch, args):
                recorder.keep(tensor)
            return out

        base.apply = classmethod(apply)

    def __exit__(self, *why):
        if self.had is None:
            del self.torch.autograd.Function.apply
        else:
            self.torch.autograd.Function.apply = self.had


# ----------------------------------------------------------------------------------------------
# Backward, counted

def summary(rows, calls):
    """What backward ran: calls of each operator, multiply-accumulates, FLOP; those without a row in `unknown`."""
    made = {"calls": {}, "mac": 0, "flop": 0, "unknown": {}}
    for call in calls:
        row = rows.get((call.aten, "backward"))
        if row is None:
            known = rows.get((call.aten, "forward"))
            if known is None:
                made["unknown"][call.aten] = made["unknown"].get(call.aten, 0) + 1
            if known is None or known.phase in ("view", "constant"):
                continue
            row = known
        made["calls"][call.aten] = made["calls"].get(call.aten, 0) + 1
        mac = _mac(call)
        elems = next(aten.values_in(call.args), call.outs[0]).elems if row.rule == "reads" else call.outs[0].elems
        made["mac"] += mac
        made["flop"] += 2 * mac + row.flop * elems
    return made


def _mac(call):
    if call.aten == "convolution_backward":
        grad, x, weight = call.args[:3]
        transposed = call.args[7]
        products = sum(bool(wanted) for wanted in call.args[10][:2])
        return products * (x if transposed else grad).elems * weight.elems // weight.shape[0]
    if call.aten == "_deform_conv2d_backward":
        grad, _, weight = call.args[:3]
        return 2 * grad.elems * weight.elems // weight.shape[0]
    if call.aten in ("mm", "bmm"):
        return call.outs[0].elems * call.args[0].shape[-1]
    if call.aten == "_grouped_mm":
        a, b = call.args[:2]
        columns_grouped = len(a.shape) > len(b.shape)  # a matrix for each group of columns
        return a.elems * b.shape[-1] // (a.shape[0] if columns_grouped else 1)
    if call.aten in ("addmm", "baddbmm"):
        return call.outs[0].elems * call.args[1].shape[-1]
    if call.aten.endswith("_backward") and call.args and isinstance(call.args[0], int):
        return call.args[0]  # of a function that is one kernel
    return 0


# ----------------------------------------------------------------------------------------------
# Two batches

def _unify(graph, other, batch):
    """Writes "N" where the batch stands, by the same network at one more sample. False: they differ otherwise."""
    if [n["op"] for n in graph["nodes"]] != [n["op"] for n in other["nodes"]]:
        return False
    found = []
    for kind in ("inputs", "params", "consts"):
        if len(graph[kind]) != len(other[kind]):
            return False
        for a, b in zip(graph[kind], other[kind]):
            found.append((a, "shape", _merged(a["shape"], b["shape"], batch)))
    for a, b in zip(graph["nodes"], other["nodes"]):
        for key, value in a.get("attrs", {}).items():
            twin = b["attrs"].get(key)
            if value != twin:
                if a["op"] == "scale_scalar" and isinstance(value, float) and isinstance(twin, float):
                    continue  # such as a sum by the batch: the time is the same
                lists = isinstance(value, list) and isinstance(twin, list) and len(value) == len(twin)
                merged = _merged(value, twin, batch) if lists else None
                if lists and merged is None and a["op"] == "reshape":
                    merged = _computed(value, twin)
                found.append((a["attrs"], key, merged))
    if any(merged is None for _, _, merged in found):
        return False
    for place, key, merged in found:
        place[key] = merged
    return True


def _merged(a, b, batch):
    if len(a) != len(b) or any(x != y and (x, y) != (batch, batch + 1) for x, y in zip(a, b)):
        return None
    return ["N" if x != y else x for x, y in zip(a, b)]


def _computed(a, b):
    """A reshape of which one extent follows from the others."""
    differ = [at for at in range(len(a)) if a[at] != b[at]] if len(a) == len(b) else []
    return [-1 if at in differ else x for at, x in enumerate(a)] if len(differ) == 1 else None
