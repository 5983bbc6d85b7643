"""Calls of PyTorch's operators (aten) as nodes of a network in epochcast's JSON form (docs/graph-json.md).

`data/aten.csv`, beside this file where it is installed, has one row per operator of aten: which of our operators it is, in which phase, and
where in its argument list inputs and attributes stand. The functions RULES do what a row cannot say.
This file needs no PyTorch: a call is its name, the values and numbers it was given, and the values it made.
"""
import csv
import math
import os

OPAQUE = "opaque"
FREE = ("reshape", "squeeze", "unsqueeze", "permute", "slice", "split", "expand")  # views: without a reader they are nothing
# Rules whose operators follow strides: what they read may lie in another order of its dimensions.
STRIDED = ("map", "binary", "pow", "where", "addc", "lerp", "cast", "cat", "elu", "clip", "reduce", "product", "index",
           "same")
DENSE = ("softmax", "log_softmax", "cumsum", "topk", "adaptive_avg_pool", "adaptive_max_pool", "dropout",
         "channel_shuffle", "depth_to_space", "space_to_depth")  # of those rules: what is copied first
IMAGE = ((0, 2, 3, 1), (0, 3, 1, 2))  # channels last and back, which a prediction knows
WEIGHT_VIEWS = ("t", "transpose", "permute", "detach", "alias", "view", "reshape", "_unsafe_view")  # still a weight


def table():
    """Where aten.csv is: beside this file when installed, else in the source tree."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(here, "aten.csv")
    return beside if os.path.exists(beside) else os.path.join(here, "..", "..", "data", "aten.csv")


def read_rows(path=None, exported=False):
    """The rows of aten.csv: {(name, phase): row}. `phase` is forward (views and constants too), backward or update; those
    of profiler traces alone are left out.

    exported  with those of archives of torch.export, whose functions are those of Python"""
    rows = {}
    with open(path or table(), newline="") as f:
        for row in csv.DictReader(f):
            if row["phase"].startswith("trace") or row["phase"] == "export" and not exported:
                continue
            inputs, attrs = [], {}
            for word in row["args"].split():
                name, _, value = word.rpartition("=")
                if name:
                    attrs[name] = int(value[1:]) if value[0] == "@" else value
                else:
                    inputs.append(int(value[1:]))
            phase = row["phase"] if row["phase"] in ("backward", "update") else "forward"
            rows[row["aten"], phase] = Row(row["aten"], row["phase"], row["operator"], row["rule"], inputs, attrs,
                                           float(row["flop"] or 0))
    return rows


class Row:
    """A row of the table: positions of the inputs, and {attribute: position or text}."""

    def __init__(self, aten, phase, operator, rule, inputs, attrs, flop):
        self.aten, self.phase, self.operator, self.rule = aten, phase, operator, rule
        self.inputs, self.attrs, self.flop = inputs, attrs, flop


class Value:
    """A tensor that was met. kind: input, param, buffer, constant, computed, or
    side (of a kernel, for its own backward); `of` owns the memory, itself as a rule."""
    __slots__ = ("shape", "dtype", "kind", "name", "trainable", "of", "view", "contents")

    def __init__(self, shape, dtype, kind="computed", name="", trainable=False, of=None, view=None, contents=None):
        self.shape, self.dtype, self.kind, self.name = tuple(shape), dtype, kind, name
        self.trainable, self.of, self.view, self.contents = trainable, of or self, view, contents

    @property
    def elems(self):
        return math.prod(self.shape)


class Call:
    """An operator of aten that ran: arguments in the order of its declaration, defaults filled in.

    path  of the module that ran it, "layer1.0.conv1"
    writes  positions of the arguments that it overwrites
    unknown  the name of a custom function, of which no operator is known
    """
    __slots__ = ("aten", "args", "outs", "path", "writes", "unknown")

    def __init__(self, aten, args, outs, path="", writes=(), unknown=None):
        self.aten, self.args, self.outs, self.path, self.writes, self.unknown = aten, args, outs, path, writes, unknown

    def arg(self, at, default=None):
        return self.args[at] if at is not None and at < len(self.args) and self.args[at] is not None else default


def values_in(args):
    """The values among arguments, those of lists too."""
    for arg in args:
        if isinstance(arg, Value):
            yield arg
        elif isinstance(arg, (list, tuple)):
            yield from values_in(arg)


class Ref:
    """How a value stands in the network: the name there, its dimensions there, and the order in which they are read."""
    __slots__ = ("name", "shape", "perm")

    def __init__(self, name, shape, perm=None):
        self.name, self.shape = name, tuple(shape)
        self.perm = None if perm is None or list(perm) == list(range(len(perm))) else tuple(perm)

    @property
    def seen(self):
        return tuple(self.shape[axis] for axis in self.perm) if self.perm else self.shape

    def axis(self, axis):
        axis %= max(len(self.shape), 1)
        return self.perm[axis] if self.perm else axis


class Network:
    """Builds the JSON form out of calls, one after the other."""

    def __init__(self, name, rows=None):
        self.name = name
        self.rows = rows or read_rows()
        self.inputs, self.params, self.consts, self.nodes = [], [], [], []
        self.notes, self.unknown = [], {}
        self.names = set()
        self.ref = {}  # value -> Ref
        self.owner = {}  # trainable parameter -> its name in the network
        self.copies = {}  # (name, perm) -> name of the transposed copy
        self.pending = {}  # value -> Refs written into parts of it
        self.by_name = {}  # name of a node -> the node
        self.readers = {}
        self.joined = set()  # names of nodes that another does too: without a further reader they are nothing
        self.first_of = {}  # path of a module -> its first node
        self.shapes = {}  # name -> dimensions

    # --- names and nodes ---

    def fresh(self, name, roles=()):
        """A name that is not given, nor are those of its roles: "fc.weight" of "fc"."""
        name = name[-180:] or "x"
        unique, n = name, 1
        while unique in self.names or any("%s.%s" % (unique, role) in self.names for role in roles):
            n += 1
            unique = "%s_%d" % (name, n)
        self.names.update([unique] + ["%s.%s" % (unique, role) for role in roles])
        return unique

    def node(self, call, op, refs, attrs=None, shape=None, roles=(), share=None):
        """Adds a node and returns the Ref of its first output, of `shape` (that of the call's by default).

        roles  of its weights: it has the name of its module"""
        path = call.path
        name = self.fresh(path if roles and path else (path + "." if path else "") + op, roles)
        row = self.rows.get((call.aten, "forward"))
        strided = row is not None and row.rule in STRIDED and op not in DENSE
        node = {"name": name, "op": op, "in": [self.read(call, ref) if strided else self.plain(call, ref) for ref in refs]}
        if attrs:
            node["attrs"] = {key: value for key, value in attrs.items() if value is not None}
        if share:
            node["share"] = share
        if call.aten != op:
            node["origin"] = call.unknown or call.aten
        self.nodes.append(node)
        self.by_name[name] = node
        for part in parts_of(path):
            self.first_of.setdefault(part, node)
        for source in node["in"]:
            self.readers[source] = self.readers.get(source, 0) + 1
        self.shapes[name] = call.outs[0].shape if shape is None else tuple(shape)
        return Ref(name, self.shapes[name])

    def plain(self, call, ref):
        """The name of a value in the order in which it is read: a copy, where that is another than in memory."""
        if not ref.perm:
            return ref.name
        key = ref.name, ref.perm
        if key not in self.copies:
            source = Ref(ref.name, ref.shape)
            self.copies[key] = self.node(call, "transpose", [source], {"perm": list(ref.perm)}, ref.seen).name
        return self.copies[key]

    def read(self, call, ref):
        """The name of a value that is read by its strides: a view."""
        if not ref.perm or ref.perm in IMAGE or (ref.name, ref.perm) in self.copies:
            return self.plain(call, ref)
        key = ref.name, ref.perm, "view"
        if key not in self.copies:
            view = Call("permute_view", [], call.outs, call.path)
            self.copies[key] = self.node(view, "permute", [Ref(ref.name, ref.shape)], {"perm": list(ref.perm)}, ref.seen).name
        return self.copies[key]

    def contiguous(self, call, ref):
        return Ref(self.plain(call, ref), ref.seen) if ref.perm else ref

    # --- values ---

    def declare(self, value):
        """A value that no call made: an input, a parameter, a buffer or a constant."""
        entry = {"name": self.fresh(value.name or value.kind), "shape": list(value.shape)}
        if value.dtype != "f32":
            entry["dtype"] = value.dtype
        if value.kind == "input":
            self.inputs.append(entry)
        elif value.kind in ("param", "buffer"):
            if not value.trainable:
                entry["trainable"] = False
            self.params.append(entry)
            self.owner[value] = entry["name"]
        else:
            if value.contents is not None:
                entry["values"] = value.contents
            self.consts.append(entry)
        self.shapes[entry["name"]] = value.shape
        return Ref(entry["name"], value.shape)

    def get(self, call, value):
        """The Ref of a value, after all that was written into it."""
        if value in self.pending:
            self.join_parts(call, value)
        if value not in self.ref:
            if value.of is not value and value.view:
                self.run(value.view, True)  # of a weight, or of what was written over since
            if value not in self.ref:
                self.ref[value] = Ref(self.owner[value], value.shape) if value in self.owner else self.declare(value)
        return self.ref[value]

    def number(self, call, number, like):
        dtype = like.dtype if like.dtype in ("i64", "i32", "bool") and not isinstance(number, float) else "f32"
        if number is True or number is False:
            number = int(number)
        text = number if math.isfinite(number) else str(number)
        return self.get(call, Value((), dtype, "constant", "number", contents=[text]))

    def is_constant(self, value):
        """Known before the step begins: no input, no parameter and nothing random of a layer is in it."""
        counter = value.kind == "buffer" and not value.shape and value.dtype == "i64"  # batches that a norm has seen
        return (value.kind in ("constant", "side") or counter) and value not in self.pending

    def weight(self, value):
        """The parameter that a value is, as it lies or transposed; None: it is computed."""
        while value is not None and value.kind != "param":
            view = value.view
            if view is None or view.aten not in WEIGHT_VIEWS:
                return None
            value = view.args[0] if isinstance(view.args[0], Value) else None
        return value

    def roles(self, given):
        """{role: value or None} -> {role: name of the parameter to share}, for those that are not the node's own.

        Returns the roles to share and the parameters that become the node's own."""
        share, own = {}, {}
        for role, value in given.items():
            param = self.weight(value)
            if param is None:
                share[role] = None
            elif param in self.owner:
                share[role] = self.owner[param]
            elif not param.trainable:
                self.ref[param] = self.declare(param)
                share[role] = self.owner[param]
            elif param in own:
                share[role] = None
            else:
                own[param] = role
        return share, own

    def layer(self, call, op, refs, attrs, given, shape=None):
        """A node with weights: {role: value} of those it has."""
        share, own = self.roles({role: value for role, value in given.items() if value is not None})
        ref = self.node(call, op, refs, attrs, shape, list(given), share)
        for param, role in own.items():
            self.owner[param] = "%s.%s" % (ref.name, role)
        return ref

    # --- writing in place ---

    def overwrite(self, call, value, ref):
        """The value becomes what `ref` is, and so do the parts that are views of it."""
        owner = value.of
        if value is owner:
            self.ref[value] = ref
        elif value.elems == owner.elems and not self.view_moves(value):
            self.ref[owner] = Ref(self.plain(call, ref), owner.shape) if ref.seen == owner.shape else self.node(
                call, "reshape", [ref], {"shape": list(owner.shape)}, owner.shape)
        else:
            self.pending.setdefault(owner, []).append(ref)
        self.pending.pop(owner, None) if value is owner else None
        for other in [v for v in self.ref if v.of is owner and v is not owner]:
            del self.ref[other]
        self.ref[value] = ref
        if owner.kind != "computed" and owner.kind != "constant":
            return
        changed = all(v.kind == "constant" for v in values_in(call.args))
        owner.kind = value.kind = "constant" if changed and owner.kind == "constant" else "computed"

    @staticmethod
    def view_moves(value):
        while value.view is not None and value.of is not value:
            if value.view.aten not in ("view", "_unsafe_view", "reshape", "_reshape_alias", "alias", "detach",
                                       "unsqueeze", "squeeze", "flatten"):
                return True
            value = value.view.args[0]
        return False

    def join_parts(self, call, value):
        """What was written into parts of a value, in one pass over it."""
        parts = self.pending.pop(value)
        refs = [] if value.kind == "constant" or value not in self.ref else [self.ref[value]]
        value.kind = "computed"
        self.ref[value] = written(self, Call("copy_into_parts", [], [value], call.path), refs[0] if refs else None, parts)

    # --- calls ---

    def run(self, call, wanted=False):
        """Adds what the call runs. Views of weights wait until something but a layer reads them."""
        row = self.rows.get((call.aten, "forward"))
        if row is not None and row.phase == "view" and not wanted and self.weight(call.args[0]) is not None:
            return
        if call.unknown is None and row is not None:
            if row.phase == "constant" or self.all_constant(call):
                self.make_constant(call)
                return
            if call.writes:
                self.drop_kept_copy(call)
            made = RULES[row.rule](self, call, row)
            if made is not None:
                self.bind(call, made if isinstance(made, list) else [made])
                return
        elif self.all_constant(call) and call.unknown is None:
            self.make_constant(call)
            return
        refs = [self.get(call, value) for value in values_in(call.args)]
        if not refs:
            self.make_constant(call)
            return
        first = self.opaque(call, refs)
        self.bind(call, [Ref(first.name if at == 0 else "%s:%d" % (first.name, at), out.shape)
                         for at, out in enumerate(call.outs)])

    def drop_kept_copy(self, call):
        """A copy that autograd keeps of what is written over: it is of the activation, as measured, not a step of it."""
        last = self.nodes[-1] if self.nodes else None
        source = self.ref.get(call.args[call.writes[0]])
        if last and source and last.get("origin") == "clone" and last["in"] == [source.name] and not self.readers.get(
                last["name"]):
            self.nodes.pop()

    def bind(self, call, made):
        for at in call.writes:
            self.overwrite(call, call.args[at], made[0])
        for out, ref in zip(call.outs, made):
            if not call.writes or out is not call.args[call.writes[0]]:
                self.ref[out] = ref

    def all_constant(self, call):
        values = list(values_in(call.args))
        return all(self.is_constant(value) for value in values)

    def make_constant(self, call):
        for at in call.writes:
            value = call.args[at]
            if value.kind in ("constant", "computed", "side"):
                value.of.kind = value.kind = "constant"
                value.contents = None
                self.ref.pop(value, None)
                self.pending.pop(value, None)
        for out in call.outs:
            if not call.writes and out.kind == "computed":
                out.kind = "constant"

    def opaque(self, call, refs):
        kind = call.unknown or call.aten
        first = call.outs[0]
        self.unknown[kind] = self.unknown.get(kind, 0) + 1
        attrs = {"type": kind, "shape": list(first.shape)}
        if len(call.outs) > 1:
            attrs["n_out"] = len(call.outs)
        if first.dtype != "f32":
            attrs["dtype"] = first.dtype
        return self.node(call, OPAQUE, refs, attrs, first.shape)

    def drop_unread(self, outputs):
        read = set(outputs)
        kept = []
        for node in reversed(self.nodes):
            if (node["op"] in FREE or node["name"] in self.joined) and node["name"] not in read and not any(
                    "%s:%d" % (node["name"], at) in read for at in range(1, len(node.get("attrs", {}).get("sizes", ())))):
                continue
            kept.append(node)
            read.update(node["in"])
        self.nodes = kept[::-1]

    def graph(self, outputs, batch, values):
        self.drop_unread(outputs)
        made = {"schema": "epochcast.graph/1", "name": self.name, "batch": batch, "notes": self.notes,
                "inputs": self.inputs, "params": self.params, "consts": self.consts, "nodes": self.nodes,
                "outputs": outputs}
        precision = precision_of(values)
        if precision:
            made["precision"] = precision
        return made


def precision_of(values):
    """The word for the type of most elements of the parameters among the values; None: another type, or there are none."""
    elems = {}
    for value in values:
        if value.kind == "param":
            elems[value.dtype] = elems.get(value.dtype, 0) + value.elems
    return {"f32": "fp32", "f16": "fp16", "bf16": "bf16"}.get(max(elems, key=elems.get)) if elems else None


def parts_of(path):
    """Of "a.b.c": "a", "a.b", "a.b.c"."""
    at = path.find(".")
    while at > 0:
        yield path[:at]
        at = path.find(".", at + 1)
    if path:
        yield path


# ----------------------------------------------------------------------------------------------
# Rules: (network, call, row) -> Ref of the first output, a list of Refs, or None where the operator is not known
# in this form and is costed by its bytes.

def refs_of(net, call, row):
    return [net.get(call, call.args[at]) for at in row.inputs]


def attrs_of(call, row, names=None):
    """Attributes that the row names, as the JSON form has them."""
    made = {}
    for name, at in row.attrs.items():
        if names is None or name in names:
            value = at if isinstance(at, str) else call.arg(at)
            if value is not None:
                made[name] = list(value) if isinstance(value, (list, tuple)) else value
    return made


def map_rule(net, call, row):
    return net.node(call, row.operator, refs_of(net, call, row), attrs_of(call, row))


def topk_rule(net, call, row):
    made = map_rule(net, call, row)
    return [made, Ref(made.name + ":1", call.outs[0].shape)]


def one_output(rule):
    """Further outputs (masks, statistics, indices) are kept for backward and read by nobody else."""
    def only_first(net, call, row):
        made = rule(net, call, row)
        if made is None:
            return None
        if isinstance(made, list):
            made = made[0]
        for out in call.outs[1:]:
            out.kind = "side"
        return made
    return only_first


def elu_rule(net, call, row):
    scale = call.arg(2, 1)
    return net.node(call, "elu" if scale == 1 else "selu", refs_of(net, call, row),
                    {"alpha": call.arg(1)} if scale == 1 else None)


def clip_rule(net, call, row):
    attrs = attrs_of(call, row)
    bounds = [net.get(call, value) for value in attrs.values() if isinstance(value, Value)]
    if bounds:
        return net.node(call, "max" if "lo" in attrs else "min", refs_of(net, call, row) + bounds[:1])
    if attrs.get("lo") == 0 and attrs.get("hi") == 6:
        return net.node(call, "relu6", refs_of(net, call, row))
    if attrs.get("lo") == 0 and "hi" not in attrs:
        return net.node(call, "relu", refs_of(net, call, row))
    return net.node(call, "clip", refs_of(net, call, row), attrs)


def prelu_rule(net, call, row):
    weight = call.arg(row.attrs["weight"])
    return net.layer(call, "prelu", refs_of(net, call, row), {"params": weight.elems}, {"weight": weight})


def binary_rule(net, call, row):
    a, b = (call.args[at] for at in row.inputs)
    if not isinstance(a, Value):
        a, b = b, a
    if call.aten == "add" and joins_bias(net, call, a, b):
        return net.get(call, a)
    if isinstance(b, Value) and b.elems == 1 and not b.shape and b.contents and net.is_constant(b):
        b = b.contents[0] if isinstance(b.contents[0], (int, float)) else b
    if not isinstance(b, Value) and row.operator in ("add", "sub", "mul", "div"):
        return scale(net, call, row, a, b)
    second = net.get(call, b) if isinstance(b, Value) else net.number(call, b, a)
    return net.node(call, row.operator, [net.get(call, a), second], attrs_of(call, row))


def joins_bias(net, call, a, b):
    """A bias added to a product just made is of the linear layer: newer versions do both in one kernel."""
    if not isinstance(a, Value) or not isinstance(b, Value) or net.weight(b) is None:
        return False
    product = net.by_name.get(net.get(call, a).name)
    if product and product["op"] == "reshape":
        product = net.by_name.get(product["in"][0])
    if product is None or product["op"] != "linear" or product["attrs"]["bias"] or b.shape != (product["attrs"]["n"],) or (
            not product["name"].startswith(call.path)):
        return False
    share, own = net.roles({"bias": b})
    product["attrs"]["bias"] = True
    product.setdefault("share", {}).update(share)
    for param in own:
        net.owner[param] = product["name"] + ".bias"
    return True


def scale(net, call, row, a, number):
    """A number beside a tensor: one pass."""
    if row.operator in ("add", "sub"):
        attrs = {"add": float(number) if row.operator == "add" else -float(number)}
    else:
        number = float(number)
        attrs = {"mul": number if row.operator == "mul" else 1 / number if number else number}
    if not all(math.isfinite(value) for value in attrs.values()):
        attrs = {"mul": 1}
    return net.node(call, "scale_scalar", [net.get(call, a)], attrs)


def pow_rule(net, call, row):
    a, b = call.args[0], call.args[1]
    if isinstance(a, Value) and not isinstance(b, Value):
        return net.node(call, "pow_scalar", [net.get(call, a)], {"p": float(b)})
    if not isinstance(a, Value):
        return net.node(call, "exp", [net.get(call, b)])
    return net.node(call, "pow", [net.get(call, a), net.get(call, b)])


def where_rule(net, call, row):
    if len(call.args) < 3:
        return None
    like = next(values_in(call.args[1:]), call.args[0])
    refs = [net.get(call, value) if isinstance(value, Value) else net.number(call, value, like)
            for value in (call.args[at] for at in row.inputs)]
    return net.node(call, "where", refs)


def addc_rule(net, call, row):
    a, b, c = (net.get(call, call.args[at]) for at in row.inputs)
    shape = broadcast(b.seen, c.seen)
    return net.node(call, "add", [a, net.node(call, row.operator, [b, c], shape=shape)])


def lerp_rule(net, call, row):
    a, b = net.get(call, call.args[0]), net.get(call, call.args[1])
    return net.node(call, "add", [a, b])


def broadcast(a, b):
    a, b = (1,) * (len(b) - len(a)) + tuple(a), (1,) * (len(a) - len(b)) + tuple(b)
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def cast_rule(net, call, row):
    value = call.args[row.inputs[0]]
    ref = net.get(call, value)
    if value.dtype == call.outs[0].dtype:
        return copy_rule(net, call, row)
    return net.node(call, "cast", [ref], {"to": call.outs[0].dtype})


def copy_rule(net, call, row):
    return reshaped(net, call, copy_of(net, call, net.get(call, call.args[0])), call.outs[0].shape)


def copy_of(net, call, ref):
    """A copy in the order of the dimensions. What was permuted before is moved by it."""
    if ref.perm:
        return net.contiguous(call, ref)
    return net.node(call, "transpose", [ref], {"perm": list(range(len(ref.shape)))}, ref.shape) if ref.shape else ref


def copy_into_rule(net, call, row):
    """copy_: what it reads, widened and converted."""
    target, source = call.args[0], call.args[1]
    ref = net.get(call, source) if isinstance(source, Value) else net.number(call, source, target)
    if ref.seen != target.shape:
        ref = net.node(call, "expand", [ref], {"shape": list(target.shape)}, target.shape)
    return ref


def cat_rule(net, call, row):
    values = [value for value in call.args[0] if value.shape != (0,)]
    axis = call.arg(1, 0)
    if len(values) == 1:
        return copy_rule(net, Call(call.aten, values, call.outs, call.path), row)
    return net.node(call, "concat", [net.get(call, value) for value in values], {"axis": axis})


def stack_rule(net, call, row):
    axis = call.arg(1, 0) % len(call.outs[0].shape)
    refs = []
    for value in call.args[0]:
        shape = value.shape[:axis] + (1,) + value.shape[axis:]
        refs.append(net.node(call, "unsqueeze", [net.get(call, value)], {"axes": [axis]}, shape))
    return net.node(call, "concat", refs, {"axis": axis})


def pad_rule(net, call, row):
    ref = net.get(call, call.args[0])
    rank, pads = len(ref.seen), list(call.args[1])
    begin, end = [0] * rank, [0] * rank
    for at in range(len(pads) // 2):
        begin[rank - 1 - at], end[rank - 1 - at] = pads[2 * at], pads[2 * at + 1]
    return net.node(call, "pad", [ref], {"pads": begin + end, "mode": row.attrs["mode"]})


def roll_rule(net, call, row):
    axes = list(call.arg(2, []))
    if not axes:
        return None
    return net.node(call, "roll", refs_of(net, call, row), {"shifts": list(call.args[1]), "axes": axes})


def repeat_rule(net, call, row):
    ref, repeats = net.contiguous(call, net.get(call, call.args[0])), list(call.args[1])
    shape = (1,) * (len(repeats) - len(ref.shape)) + ref.shape
    return net.node(call, "tile", [reshaped(net, call, ref, shape)], {"repeats": repeats})


def argmax_rule(net, call, row):
    axis = call.arg(1)
    if axis is None:
        return None
    made = net.node(call, "argmax", refs_of(net, call, row), {"axis": axis}, call.outs[0].shape)
    return made if len(call.outs[0].shape) < len(call.args[0].shape) else reshaped(net, call, made, call.outs[0].shape)


def sort_rule(net, call, row):
    axis = call.arg(2, -1) if isinstance(call.arg(1), bool) else call.arg(1, -1)  # sort.stable
    if not call.args[0].shape:
        return None
    made = net.node(call, "topk", refs_of(net, call, row), {"k": 0, "axis": axis})
    return [made, Ref(made.name + ":1", call.outs[0].shape)]


def embedding_rule(net, call, row):
    table, ids = call.arg(row.attrs["weight"]), net.get(call, call.args[1])
    if net.weight(table) is None:
        return net.node(call, "gather", [net.get(call, table), ids], {"axis": 0})
    return net.layer(call, "embedding", [ids], {"num": table.shape[0], "dim": table.shape[1]}, {"weight": table})


def bags_rule(net, call, row):
    """Rows of a table and their sum for each bag, taken to be of one size."""
    table, ids = call.arg(row.attrs["weight"]), call.args[row.inputs[0]]
    bags, dim = call.outs[0].shape
    if net.weight(table) is None or ids.elems % max(bags, 1):
        return None
    shape = bags, ids.elems // bags
    made = net.layer(call, "embedding", [reshaped(net, call, net.get(call, ids), shape)],
                     {"num": table.shape[0], "dim": dim}, {"weight": table}, shape + (dim,))
    if shape[1] == 1:
        return reshaped(net, call, made, (bags, dim))
    return net.node(call, "reduce_sum", [made], {"axes": [1], "keepdims": False})


def windows_rule(net, call, row):
    """im2col: the elements of each window, by index."""
    x, shape = net.get(call, call.args[0]), call.outs[0].shape
    if len(x.seen) != 4:
        return None
    lead, picked = x.seen[:2], math.prod(shape[1:]) // x.seen[1]
    index = net.get(call, Value((picked,), "i64", "constant", "indices"))
    flat = reshaped(net, call, x, lead + (x.seen[2] * x.seen[3],))
    return reshaped(net, call, net.node(call, "gather", [flat, index], {"axis": 2}, lead + (picked,)), shape)


def take_rule(net, call, row):
    """Elements by their index among all, or those that a mask lets through."""
    x, index = net.get(call, call.args[0]), call.arg(1)
    flat = reshaped(net, call, x, (math.prod(x.seen),))
    known = isinstance(index, Value) and index.dtype == "i64"
    by = net.get(call, index if known else Value(call.outs[0].shape, "i64", "constant", "indices"))
    return net.node(call, row.operator, [flat, by], {"axis": 0})


def boxes_rule(net, call, row):
    """Windows of an image for each box: as many of its elements, by index."""
    x, out = net.get(call, call.args[0]), call.outs[0].shape
    if len(x.seen) != 4 or any(a > b for a, b in zip(out[1:], x.seen[1:])):
        return None
    part = net.contiguous(call, x)
    for axis in (2, 3):
        part = cut(net, call, part, axis, 0, out[axis])
    index = net.get(call, Value(out[:1], "i64", "constant", "boxes"))
    return net.node(call, row.operator, [part, index], {"axis": 0})


def scatter_rule(net, call, row):
    """What is written by index, or added there. A number moves what a pass over the target does."""
    target, given = call.args[row.inputs[0]], call.args[row.inputs[-1]]
    out, alone = call.outs[0], len(row.inputs) == 1
    values = list(values_in([given]))
    if alone or values and (out.elems == 1 or max(value.elems for value in values) > 1):
        known = alone or net.is_constant(target)
        parts = [net.get(call, value) for value in values]
        if row.aten == "index_add":  # its gradient asks for the shape of what was added, and so autograd keeps it
            pads = {"pads": [0] * (2 * len(parts[0].seen)), "mode": "reflect"}  # a copy that keeps what it read
            parts = [net.node(call, "pad", [net.contiguous(call, parts[0])], pads, parts[0].seen)]
        return written(net, call, None if known else net.get(call, target), parts)
    index = call.arg(2)
    if row.aten == "scatter" and net.is_constant(target) and call.args[1] in (-1, len(out.shape) - 1) and (
            index.shape[-1] == 1 and index.shape[:-1] == out.shape[:-1]):
        last = dropped(net, call, net.get(call, index), len(out.shape) - 1)
        return net.node(call, "one_hot", [last], {"depth": out.shape[-1]})
    return net.node(call, "scale_scalar", [net.get(call, target)], {"mul": 1})


def written(net, call, target, parts):
    """A value of which parts were written: they, and as much of the target as fills its size, in one pass.

    target  None: known before the step"""
    out = call.outs[0]
    sizes = [math.prod(part.seen) for part in parts]
    if not out.elems or not sum(sizes):
        return target or net.opaque(call, parts)
    if len(parts) == 1 and parts[0].seen == out.shape:
        return copy_of(net, call, parts[0])
    rows = out.shape[0]  # those of a batch, where the parts have its rows too
    rows = rows if all(size % rows == 0 for size in sizes) else 1
    columns, have = out.elems // rows, sum(sizes) // rows
    flat = [reshaped(net, call, part, (rows, size // rows)) for part, size in zip(parts, sizes) if size]
    if have < columns:
        rest = net.get(call, Value((rows, columns - have), out.dtype, "constant", "rest")) if target is None else cut(
            net, call, reshaped(net, call, target, (rows, columns)), 1, 0, columns - have)
        flat.insert(0, rest)
    width = max(have, columns)
    made = net.node(call, "concat", flat, {"axis": 1}, (rows, width)) if len(flat) > 1 else copy_of(net, call, flat[0])
    return reshaped(net, call, made if width == columns else cut(net, call, made, 1, 0, columns), out.shape)


def counts_rule(net, call, row):
    """How many values are in each of a few bins: a pass over them."""
    x = net.get(call, call.args[0])
    made = net.node(call, "reduce_sum", [x], {"axes": list(range(len(x.seen))), "keepdims": False}, ())
    return net.node(call, "expand", [made], {"shape": list(call.outs[0].shape)})


def glu_rule(net, call, row):
    """Half of an axis times what the other half lets through: moves what a product of the halves does."""
    x = call.args[0]
    axis = call.arg(row.attrs["axis"], -1) % len(x.shape)
    half = Value(call.outs[0].shape, x.dtype)
    parts = split_rule(net, Call("split", [x, half.shape[axis], axis], [half, half], call.path), row)
    return net.node(call, row.operator, parts)


def index_rule(net, call, row):
    """x[i], x[:, i], x[i, j]: rows by index. A mask is taken as the indices of what it lets through."""
    x, given = call.args[0], list(call.args[1])
    at = [axis for axis, index in enumerate(given) if isinstance(index, Value)]
    if not at or at != list(range(at[0], at[0] + len(at))):
        return None
    masks = [len(given[axis].shape) for axis in at if given[axis].dtype in ("bool", "u8")]
    span = sum(masks) + len(at) - len(masks)
    ref = net.contiguous(call, net.get(call, x))
    lead, rest = ref.shape[:at[0]], ref.shape[at[0] + span:]
    out = call.outs[0].shape
    index_shape = out[len(lead):len(out) - len(rest)]
    if span > 1:
        ref = reshaped(net, call, ref, lead + (math.prod(ref.shape[at[0]:at[0] + span]),) + rest)
    known = len(at) == 1 and not masks
    index = net.get(call, given[at[0]]) if known else net.get(
        call, Value(index_shape, "i64", "constant", "indices"))
    return net.node(call, "gather", [ref, index], {"axis": at[0]})


def resize_rule(net, call, row):
    x, y = call.args[0].shape, call.outs[0].shape
    scales = [b // a for a, b in zip(x[2:], y[2:])]
    attrs = {"mode": row.attrs["mode"]}
    if [a * k for a, k in zip(x[2:], scales)] == list(y[2:]) and min(scales) >= 1:
        attrs["scale"] = scales
    else:
        attrs["size"] = list(y[2:])
    return net.node(call, "resize", refs_of(net, call, row), attrs)


def reduce_rule(net, call, row):
    attrs = attrs_of(call, row)
    ref = net.get(call, call.args[0])
    axes, keep = attrs.get("axes"), attrs.get("keepdims", False)
    if isinstance(axes, Value) or not isinstance(keep, bool) or not ref.seen:
        return None
    rank = len(ref.seen)
    axes = [axes] if isinstance(axes, int) else list(axes or range(rank))
    axes = sorted(axis % rank for axis in axes)
    if ref.perm:  # sums are taken in whatever order
        axes, kept = sorted(ref.perm[axis] for axis in axes), [axis for axis in ref.perm if axis not in
                                                               [ref.perm[a] for a in axes]]
        if kept == sorted(kept) and not keep:
            ref = Ref(ref.name, ref.shape)
        else:
            axes = sorted(ref.perm.index(axis) for axis in axes)
    if row.operator == "reduce_mean" and rank == 4 and axes == [2, 3] and row.aten == "mean" and not ref.perm:
        made = net.node(call, "global_avg_pool", [ref], None, ref.shape[:2] + (1, 1))
        made = made if keep else reshaped(net, call, made, ref.shape[:2])
    else:
        made = net.node(call, row.operator, [ref], {"axes": axes, "keepdims": keep})
    if row.aten in ("var_mean", "std_mean"):
        return [made, net.node(call, "reduce_mean", [ref], {"axes": axes, "keepdims": keep}, call.outs[1].shape)]
    for out in call.outs[1:]:
        out.kind = "side"
    return made


def conv_rule(net, call, row):
    x, weight = net.get(call, call.args[0]), call.arg(row.attrs["weight"])
    bias, transposed = call.arg(row.attrs.get("bias")), row.attrs.get("transposed")
    transposed = call.arg(transposed, False) if isinstance(transposed, int) else transposed == "true"
    rank = len(weight.shape) - 2
    groups = call.arg(row.attrs["groups"], 1)
    attrs = {"k": call.outs[0].shape[1]}
    attrs.update(zip({1: ("r",), 2: ("r", "s"), 3: ("t", "r", "s")}[rank], weight.shape[2:]))
    for name in ("stride", "pad", "dil") + (("out_pad",) if transposed else ()):
        given = call.arg(row.attrs[name], [])
        attrs[name] = given if isinstance(given, str) or len(given) == rank else list(given) * rank or None
    attrs["groups"], attrs["bias"] = groups, bias is not None
    if len(x.seen) == rank + 1:  # without a batch
        x = reshaped(net, call, x, (1,) + x.seen)
    op = "conv%s%dd" % ("_transpose" if transposed else "", rank)
    made = net.layer(call, op, [x], attrs, {"weight": weight, "bias": bias}, (1,) * (
        rank + 2 - len(call.outs[0].shape)) + call.outs[0].shape)
    return reshaped(net, call, made, call.outs[0].shape)


def linear_rule(net, call, row):
    x, weight, bias = call.args[0], call.args[1], call.arg(2)
    return net.layer(call, "linear", [net.get(call, x)], {"n": weight.shape[0], "bias": bias is not None},
                     {"weight": weight, "bias": bias})


def product_rule(net, call, row):
    """mm, addmm, bmm, baddbmm ...: a linear layer where the second factor is a weight."""
    a, b = (call.args[at] for at in row.inputs)
    bias = call.arg(row.attrs.get("bias"))
    if call.arg(row.attrs.get("beta"), 1) == 0:
        bias = None
    weight = net.weight(b)
    if row.operator == "linear" and weight is not None and weight.elems == b.elems and len(b.shape) == 2:
        param = net.weight(bias) if bias is not None else None
        fits = param is not None and param.elems == b.shape[1]
        x = unfolded(net, net.get(call, a))
        made = net.layer(call, "linear", [x], {"n": b.shape[1], "bias": fits},
                         {"weight": b, "bias": bias if fits else None}, x.seen[:-1] + b.shape[1:])
        made = reshaped(net, call, made, call.outs[0].shape)
        return made if fits or bias is None else net.node(call, "add", [made, net.get(call, bias)])
    ra, rb, attrs = factor(net, call, net.get(call, a)), factor(net, call, net.get(call, b)), {}
    shape = None
    if len(rb.seen) == 1 or len(ra.seen) == 1:
        ra = ra if len(ra.seen) > 1 else reshaped(net, call, ra, (1,) + ra.seen)
        rb = rb if len(rb.seen) > 1 else reshaped(net, call, rb, rb.seen + (1,))
        shape = ra.seen[:-1] + rb.seen[-1:]
    ra, attrs["transpose_a"] = turned(ra)
    rb, attrs["transpose_b"] = turned(rb)
    made = net.node(call, "matmul", [ra, rb], {key: True for key, on in attrs.items() if on} or None, shape)
    made = made if shape is None else reshaped(net, call, made, call.outs[0].shape)
    return made if bias is None else net.node(call, "add", [made, net.get(call, bias)])


def distances_rule(net, call, row):
    """Distances of all rows of one from those of the other: a product with the other's transpose."""
    a, b = (net.contiguous(call, net.get(call, call.args[at])) for at in row.inputs)
    return net.node(call, row.operator, [a, b], {"transpose_b": True})


def deform_rule(net, call, row):
    """A convolution whose taps are shifted: its products."""
    x, weight, _, _, bias = call.args[:5]
    stride, pad, dil, groups = (list(call.args[5:7]), list(call.args[7:9]), list(call.args[9:11]), call.args[11])
    plain = Call("convolution", [x, weight, bias, stride, pad, dil, False, [0, 0], groups], call.outs, call.path)
    return conv_rule(net, plain, net.rows["convolution", "forward"])


def grouped_rule(net, call, row):
    """Rows of which each group has its own matrix: (M, K) x (E, K, N). Without groups, and of other forms, as bmm or by bytes."""
    a, b = (call.args[at] for at in row.inputs)
    if call.arg(row.attrs.get("bias")) is not None:
        return None
    if (len(a.shape), len(b.shape)) == (3, 3):
        return product_rule(net, call, net.rows["bmm", "forward"])
    if (len(a.shape), len(b.shape)) != (2, 3):
        return None
    rb, transposed = turned(factor(net, call, net.get(call, b)))
    return net.node(call, row.operator, [net.contiguous(call, net.get(call, a)), net.contiguous(call, rb)],
                    {"transpose_b": True} if transposed else None)


def unfolded(net, ref):
    """Rows that were dimensions of their own before: linear layers take them so."""
    node = net.by_name.get(ref.name)
    shape = net.shapes.get(node["in"][0], ()) if node and node["op"] == "reshape" and not ref.perm else ()
    return Ref(node["in"][0], shape) if len(shape) > 2 and shape[-1] == ref.shape[-1] else ref


def turned(ref):
    """A factor whose last two dimensions are exchanged is read as it lies."""
    rank = len(ref.shape)
    last = list(range(rank))
    if rank >= 2:
        last[-2:] = last[:-3:-1]
    if ref.perm and list(ref.perm) == last:
        return Ref(ref.name, ref.shape), True
    return ref, False


def factor(net, call, ref):
    """A factor of a product in batches: read as it lies where the elements of its rows or of its columns are together."""
    return ref if not ref.perm or len(ref.shape) - 1 in ref.perm[-2:] else net.contiguous(call, ref)


def batch_norm_rule(net, call, row):
    x = net.get(call, call.args[0])
    weight, bias = call.arg(row.attrs["weight"]), call.arg(row.attrs["bias"])
    training = call.arg(row.attrs["training"]) if "training" in row.attrs else True
    if not training and not any(value is not None and value.trainable for value in (weight, bias)):
        return frozen_norm(net, call, x, [weight, bias])
    attrs = {"affine": weight is not None, "eps": call.arg(row.attrs["eps"]),
             "momentum": call.arg(row.attrs["momentum"])}
    return net.layer(call, "batch_norm", [x], attrs, {"weight": weight, "bias": bias})


def frozen_norm(net, call, x, weights):
    """Fixed statistics and weights: a factor and a term for each channel, in one pass."""
    for weight in weights:
        if weight is not None and weight not in net.ref:
            net.ref[weight] = net.declare(weight)
    shape = (x.seen[1],) + (1,) * (len(x.seen) - 2)
    factor = net.get(call, Value(shape, "f32", "constant", call.path + ".factor"))
    return net.node(call, "mul", [x, factor])


def layer_norm_rule(net, call, row):
    weight, bias = call.arg(row.attrs["weight"]), call.arg(row.attrs.get("bias"))
    attrs = {"dims": len(call.args[1]), "affine": weight is not None, "eps": call.arg(row.attrs["eps"])}
    if row.operator == "layer_norm":
        attrs["bias"] = bias is not None
    return net.layer(call, row.operator, [net.get(call, call.args[0])], attrs, {"weight": weight, "bias": bias})


def group_norm_rule(net, call, row):
    weight, bias = call.arg(row.attrs["weight"]), call.arg(row.attrs["bias"])
    attrs = {"groups": call.arg(row.attrs["groups"]), "affine": weight is not None, "eps": call.arg(row.attrs["eps"])}
    return net.layer(call, "group_norm", [net.get(call, call.args[0])], attrs, {"weight": weight, "bias": bias})


def pool_rule(net, call, row):
    x = net.get(call, call.args[0])
    attrs = attrs_of(call, row)
    rank = int(row.operator[-2])
    size = attrs.pop("size")
    size = size * rank if len(size) == 1 else size
    attrs.update(zip({1: ("r",), 2: ("r", "s"), 3: ("t", "r", "s")}[rank], size))
    attrs["stride"] = attrs.get("stride") or size
    shape = call.outs[0].shape
    if len(x.seen) == rank + 1:
        made = net.node(call, row.operator, [reshaped(net, call, x, (1,) + x.seen)], attrs, (1,) + shape)
        return reshaped(net, call, made, shape)
    return net.node(call, row.operator, [x], attrs)


def attention_rule(net, call, row):
    q, k, v = (net.contiguous(call, net.get(call, call.args[at])) for at in row.inputs)
    if q.seen[:-2] != k.seen[:-2]:  # several queries for a key
        lead = q.seen[:-2]
        k, v = (net.node(call, "expand", [grouped(net, call, part, lead)], {"shape": list(lead + part.seen[-2:])},
                         lead + part.seen[-2:]) for part in (k, v))
    return net.node(call, "attention", [q, k, v], {"causal": bool(call.arg(row.attrs["causal"], False)),
                                                   "p": call.arg(row.attrs["p"], 0)})


def grouped(net, call, ref, lead):
    """Keys of fewer heads are read several times: as views, of extent 1 where they are repeated."""
    return ref if math.prod(ref.seen[:-2]) != math.prod(lead) and ref.seen[-3] == 1 else net.node(
        call, "tile", [ref], {"repeats": [a // b for a, b in zip(lead, ref.seen[:-2])] + [1, 1]},
        lead + ref.seen[-2:])


def rnn_rule(net, call, row):
    x, weights = net.get(call, call.args[0]), list(call.arg(row.attrs["weights"], []))
    bias, layers = call.arg(row.attrs["bias"], True), call.arg(row.attrs["layers"], 1)
    both, first = call.arg(row.attrs["bidir"], False), call.arg(row.attrs["batch_first"], False)
    roles, at = {}, 0
    for layer in range(layers):
        for way in ("", "_reverse")[:2 if both else 1]:
            for kind in ("weight_ih", "weight_hh") + (("bias_ih", "bias_hh") if bias else ()):
                roles["%s_l%d%s" % (kind, layer, way)] = weights[at]
                at += 1
    if at != len(weights) or len(x.seen) != 3 or layers > 8:
        return None  # with a projection, or one sequence without a batch
    hidden = weights[1].shape[1]
    seq = x if first else Ref(x.name, x.shape, [x.axis(1), x.axis(0), x.axis(2)])
    shape = (seq.seen[0], seq.seen[1], hidden * (2 if both else 1))
    made = net.layer(call, row.operator, [seq], {"hidden": hidden, "layers": layers, "bidir": both, "bias": bias}, roles,
                     shape)
    result = [made if first else Ref(made.name, made.shape, [1, 0, 2])]
    last = net.node(call, "slice", [made], {"axes": [1], "starts": [shape[1] - 1], "ends": [shape[1]]},
                    (shape[0], 1, shape[2])) if len(call.outs) > 1 else None
    for out in call.outs[1:]:
        result.append(state(net, call, last, out))
    return result


def state(net, call, last, out):
    """The state after the last step: of one layer and way the last output, of several a view of its size."""
    if out.elems == math.prod(last.shape):
        return reshaped(net, call, last, out.shape)
    times = out.elems // math.prod(last.shape)
    grown = net.node(call, "tile", [last], {"repeats": [1, times, 1]}, (last.shape[0], times, last.shape[2]))
    return reshaped(net, call, grown, out.shape)


def nll_loss_rule(net, call, row):
    """The negative log likelihood of a log softmax: cross entropy of what that was taken of."""
    ref = net.get(call, call.args[0])
    if call.args[3] == 0:  # of each row by itself: its entry of the target
        if len(ref.seen) != 2:
            return None
        index = net.get(call, Value((ref.seen[0], 1), "i64", "constant", "targets"))
        picked = net.node(call, "gather_elements", [ref, index], {"axis": 1}, (ref.seen[0], 1))
        return reshaped(net, call, picked, call.outs[0].shape)
    node = net.by_name.get(ref.name)
    if node and node["op"] == "log_softmax" and net.nodes[-1] is node:
        net.joined.add(node["name"])
        source = node["in"][0]
        ref = Ref(source, ref.shape)
    classes = ref.shape[1] if len(ref.shape) > 1 else ref.shape[0]
    rows = math.prod(ref.shape) // classes
    if len(ref.shape) > 2:  # of pixels: as many rows; the order of elements is not that of the loss
        ref = reshaped(net, call, ref, (rows, classes))
    return net.node(call, "cross_entropy", [ref], None, ())


def loss_rule(net, call, row):
    a, b = call.args[0], call.args[1]
    if not isinstance(b, Value):
        return None
    if call.arg(row.attrs["reduction"], 1) == 0:  # of each element by itself: a pass that keeps both
        return net.node(call, "mul", [net.get(call, a), net.get(call, b)])
    if a.kind == "constant" or b.kind == "computed" and a.kind == "input":
        a = b
    return net.node(call, row.operator, [net.get(call, a)], None, ())


# --- views ---

def reshaped(net, call, ref, shape):
    shape = tuple(shape)
    if ref.seen == shape:
        return ref
    plain = net.contiguous(call, ref)
    node = net.by_name.get(plain.name)
    if node and node["op"] == "reshape" and not node.get("share"):  # of a view: of what it is a view of
        source = node["in"][0]
        if source in net.shapes:
            plain = Ref(source, net.shapes[source])
        if plain.shape == shape:
            return plain
    return net.node(call, "reshape", [plain], {"shape": list(shape)}, shape)


def same_rule(net, call, row):
    return net.get(call, call.args[0])


def view_rule(net, call, row):
    ref = net.get(call, call.args[0])
    return reshaped(net, call, ref, call.outs[0].shape)


def strided_rule(net, call, row):
    """as_strided: of all elements in their order; of fewer a part of them; of more, as windows that overlap, repeated."""
    ref, out = net.get(call, call.args[0]), call.outs[0]
    have, wanted = math.prod(ref.seen), out.elems
    if have == wanted or not have or not wanted:
        return reshaped(net, call, ref, out.shape) if have == wanted else None
    rows = ref.seen[0] if wanted % ref.seen[0] == 0 else 1
    have, wanted = have // rows, wanted // rows
    flat, times = reshaped(net, call, ref, (rows, have)), -(-wanted // have)
    if times > 1:
        flat = net.node(call, "tile", [flat], {"repeats": [1, times]}, (rows, have * times))
    return reshaped(net, call, cut(net, call, flat, 1, 0, wanted) if wanted < have * times else flat, out.shape)


def unsqueeze_rule(net, call, row):
    ref = net.get(call, call.args[0])
    axis = call.args[1] % len(call.outs[0].shape)
    if not ref.perm:
        return net.node(call, "unsqueeze", [ref], {"axes": [axis]})
    base = net.node(call, "unsqueeze", [Ref(ref.name, ref.shape)], {"axes": [len(ref.shape)]}, ref.shape + (1,))
    perm = list(ref.perm)
    perm.insert(axis, len(ref.shape))
    return Ref(base.name, base.shape, perm)


def permute_rule(net, call, row):
    ref = net.get(call, call.args[0])
    rank = len(ref.shape)
    if row.aten == "permute":
        order = [axis % rank for axis in call.args[1]]
    else:
        a, b = (call.args[1], call.args[2]) if row.aten == "transpose" else (0, rank - 1)
        order = list(range(rank))
        if rank:
            order[a], order[b] = order[b], order[a]
    return Ref(ref.name, ref.shape, [ref.axis(axis) for axis in order])


def expand_rule(net, call, row):
    ref, shape = net.get(call, call.args[0]), call.outs[0].shape
    if ref.seen == shape:
        return ref
    seen = (0,) * (len(shape) - len(ref.seen)) + ref.seen
    kept = [-1 if a == b else b for a, b in zip(seen, shape)]
    return net.node(call, "expand", [net.contiguous(call, ref)], {"shape": kept})


def cut(net, call, ref, axis, start, end, step=1):
    """Part of one axis of what is read in another order: that part of the memory, in the same order."""
    base = ref.axis(axis)
    shape = list(ref.shape)
    shape[base] = max(0, -(-(end - start) // step))
    made = net.node(call, "slice", [Ref(ref.name, ref.shape)], {
        "axes": [base], "starts": [start], "ends": [end], "steps": [step] if step != 1 else None}, shape)
    return Ref(made.name, made.shape, ref.perm)


def select_rule(net, call, row):
    ref, axis = net.get(call, call.args[0]), call.args[1] % len(call.args[0].shape)
    extent = ref.seen[axis]
    at = call.args[2] % extent
    part = ref if extent == 1 else cut(net, call, ref, axis, at, at + 1)
    return dropped(net, call, part, axis)


def dropped(net, call, ref, axis):
    """Without an axis of extent 1."""
    base = ref.axis(axis)
    shape = ref.shape[:base] + ref.shape[base + 1:]
    made = net.node(call, "squeeze", [Ref(ref.name, ref.shape)], {"axes": [base]}, shape)
    if not ref.perm:
        return made
    return Ref(made.name, shape, [axis - (axis > base) for axis in ref.perm if axis != base])


def slice_rule(net, call, row):
    ref, axis = net.get(call, call.args[0]), call.arg(1, 0)
    extent = ref.seen[axis]
    start, end, step = call.arg(2, 0), call.arg(3, extent), call.arg(4, 1)
    start = max(0, start + extent) if start < 0 else min(start, extent)
    end = max(0, end + extent) if end < 0 else min(end, extent)
    if start == 0 and end >= extent and step == 1:
        return ref
    return cut(net, call, ref, axis, start, max(start, end), step)


def split_rule(net, call, row):
    ref, axis = net.get(call, call.args[0]), call.arg(2, 0)
    base = ref.axis(axis)
    if len(call.outs) == 1:
        return [ref]
    made = net.node(call, "split", [Ref(ref.name, ref.shape)],
                    {"axis": base, "sizes": [out.shape[axis] for out in call.outs]}, ref.shape)
    refs = []
    for at, out in enumerate(call.outs):
        shape = list(ref.shape)
        shape[base] = out.shape[axis]
        refs.append(Ref(made.name if at == 0 else "%s:%d" % (made.name, at), shape, ref.perm))
    return refs


def unfold_rule(net, call, row):
    """Windows of an axis: a view, where they do not overlap; else by index."""
    ref, (axis, size, step) = net.get(call, call.args[0]), call.args[1:4]
    extent = call.args[0].shape[axis]
    base, windows = ref.axis(axis), (extent - size) // step + 1
    shape = ref.shape[:base] + (windows, size) + ref.shape[base + 1:]
    if size == step and extent % size == 0:
        made = reshaped(net, call, Ref(ref.name, ref.shape), shape)
    else:
        index = net.get(call, Value((windows, size), "i64", "constant", "windows"))
        made = net.node(call, "gather", [Ref(ref.name, ref.shape), index], {"axis": base}, shape)
    order = ref.perm or range(len(ref.shape))
    return Ref(made.name, made.shape, [at + (at > base) for at in order] + [base + 1])


def unbind_rule(net, call, row):
    axis = call.arg(1, 0) % len(call.args[0].shape)
    ones = [Value(out.shape[:axis] + (1,) + out.shape[axis:], out.dtype) for out in call.outs]
    parts = split_rule(net, Call("split", [call.args[0], 1, axis], ones, call.path), row)
    return [dropped(net, call, part, axis) for part in parts]


RULES = {
    "map": one_output(map_rule), "topk": topk_rule, "elu": elu_rule, "clip": clip_rule, "prelu": prelu_rule, "binary": binary_rule,
    "pow": pow_rule, "where": where_rule, "addc": addc_rule, "lerp": lerp_rule, "cast": cast_rule,
    "copy": copy_rule, "copy_into": copy_into_rule, "cat": cat_rule, "stack": stack_rule, "pad": pad_rule,
    "roll": roll_rule, "repeat": repeat_rule, "argmax": argmax_rule, "sort": sort_rule,
    "embedding": embedding_rule, "index": index_rule, "resize": resize_rule, "reduce": reduce_rule,
    "conv": one_output(conv_rule), "linear": linear_rule, "product": product_rule, "grouped": grouped_rule,
    "batch_norm": one_output(batch_norm_rule), "layer_norm": one_output(layer_norm_rule),
    "group_norm": one_output(group_norm_rule), "pool": one_output(pool_rule),
    "attention": one_output(attention_rule), "rnn": rnn_rule, "nll_loss": one_output(nll_loss_rule),
    "loss": loss_rule, "same": same_rule, "view": view_rule, "strided": strided_rule, "unsqueeze": unsqueeze_rule,
    "permute": permute_rule, "expand": expand_rule, "select": select_rule, "slice": slice_rule,
    "split": split_rule, "unbind": unbind_rule, "unfold": unfold_rule, "bags": one_output(bags_rule),
    "take": take_rule, "boxes": boxes_rule, "scatter": scatter_rule, "distances": distances_rule,
    "deform": one_output(deform_rule), "windows": windows_rule, "counts": counts_rule, "glu": glu_rule,
}
