"""Read a program that torch.export.save wrote (.pt2) as a network in epochcast's JSON form. Needs no PyTorch.

    python3 -m epochcast.pt2 model.pt2 > model.json
    epochcast predict model.json --device h100 --batch 8

The archive is a zip whose JSON has calls of aten with the shapes of all tensors, in schema 8 of PyTorch's
torch/_export/serde/schema.py. A call becomes nodes by its row of data/aten.csv and the rules of aten.py, as when a
module is recorded; what has no row is costed by its bytes. docs/pt2.md
"""
import ast
import json
import math
import operator
import os
import sys
import zipfile

try:
    from . import aten
    from .from_torch import _unify  # of the module: the package has a function of its name
except ImportError:  # as a file beside the others
    import aten
    from from_torch import _unify

SCHEMA_MAJOR = 8
JSON_MAX_BYTES = 256 << 20
EXPRESSION_MAX = 1000  # characters
SIZE_MAX = 1 << 48
DTYPES = {1: "u8", 2: "i8", 3: "i16", 4: "i32", 5: "i64", 6: "f16", 7: "f32", 8: "f64", 9: "f32", 10: "f64", 11: "f64",
          12: "bool", 13: "bf16"}  # complex numbers by their bytes; others are of 8 bits
DROPOUT = ("dropout", "feature_dropout", "alpha_dropout")
BROKEN = (KeyError, IndexError, TypeError, AttributeError, ValueError, ZeroDivisionError, OverflowError, RecursionError)


class Pt2Error(Exception):
    """An archive that cannot be read, and why."""


def read(path):
    """The network of a .pt2 file: a dict of the form epochcast.graph/1, in which "N" is the batch where the archive has a
    symbol for it.

    Errors: Pt2Error; OSError
    """
    program = load(path)
    try:
        return of_program(program, os.path.splitext(os.path.basename(path))[0])
    except BROKEN as why:
        raise Pt2Error(f"{path}: it is damaged: {type(why).__name__} {why}") from why
    except Pt2Error as why:
        raise Pt2Error(f"{path}: {why}") from why


def load(path):
    """The JSON in the archive, whose version is known."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [info for info in archive.infolist() if "/" + info.filename == "/serialized_exported_program.json" or
                     "/models/" in "/" + info.filename and info.filename.endswith(".json")]
            if not found:
                raise Pt2Error(f"{path}: no program of torch.export.save is in it")
            program = json_in(archive, found[0], path)
            weights = [info for info in archive.infolist() if info.filename.endswith("data/weights/model_weights_config.json")]
            files = json_in(archive, weights[0], path)["config"] if weights else {}
            program["files"] = {name: entry["path_name"] for name, entry in files.items()}
        version = program["schema_version"]
        major, minor = version["major"], version["minor"]
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError) + BROKEN as why:
        raise Pt2Error(f"{path}: no archive of torch.export.save, or a damaged one: {why}") from why
    except Exception as why:
        if isinstance(why, (Pt2Error, OSError)):
            raise
        raise Pt2Error(f"{path}: it does not unpack: {why}") from why  # zlib.error, and those of other packings
    if major != SCHEMA_MAJOR:
        wrote = program.get("torch_version") or ("2.5 or before" if isinstance(major, int) and major < SCHEMA_MAJOR else
                                                 "of a later kind")
        raise Pt2Error(f"{path}: schema {major}.{minor}, written by PyTorch {wrote}; expected {SCHEMA_MAJOR}, which PyTorch "
                       "writes from 2.6 on: export the module again there, or as ONNX (docs/onnx.md)")
    return program


def json_in(archive, info, path):
    with archive.open(info) as f:
        text = f.read(JSON_MAX_BYTES + 1)
    if len(text) > JSON_MAX_BYTES:
        raise Pt2Error(f"{path}: {info.filename} has more than {JSON_MAX_BYTES} bytes")
    return json.loads(text)


def of_program(program, name):
    """The network of what `load` returns."""
    module = program["graph_module"]
    symbols = input_symbols(module)
    batch = batch_of(module, symbols)
    graph = _Reader(program, symbols).graph(name)
    graph["batch"] = batch[1]
    if batch[0] is None:
        graph["notes"].append("exported for a batch of %d only; dynamic_shapes of torch.export.export make it a symbol" %
                              batch[1])
    else:
        other = _Reader(program, dict(symbols, **{batch[0]: batch[1] + 1})).graph(name)
        if not _unify(graph, other, batch[1]):
            graph["notes"].append("recorded for a batch of %d, and answers for that one only: its size is inside the network" % batch[1])
    return graph


# ----------------------------------------------------------------------------------------------
# Sizes

def user_inputs(module):
    """Names of the tensors that are given in each call."""
    for spec in module["signature"]["input_specs"]:
        arg = spec.get("user_input", {}).get("arg", {})
        if "as_tensor" in arg:
            yield arg["as_tensor"]["name"]


def parsed(text):
    if len(text) > EXPRESSION_MAX:
        raise ValueError(f"more than {EXPRESSION_MAX} characters")
    return ast.parse(text, mode="eval").body


def symbol_in(size):
    """(name, hint) of a size that is a symbol by itself; (None, None): it is none."""
    expression = size.get("as_expr")
    if not expression:
        return None, None
    try:
        node = parsed(expression["expr_str"])
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None, None
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Symbol" and node.args:
        node = ast.Name(id=getattr(node.args[0], "value", getattr(node.args[0], "s", None)))
    hint = (expression.get("hint") or {}).get("as_int")
    return (node.id, hint if isinstance(hint, int) and hint > 0 else 1) if isinstance(node, ast.Name) else (None, None)


def input_symbols(module):
    """What the symbols in the sizes of inputs were in the example: {name: number}."""
    symbols = {}
    for name in user_inputs(module):
        for size in module["graph"]["tensor_values"][name]["sizes"]:
            symbol, hint = symbol_in(size)
            if symbol is not None:
                symbols.setdefault(symbol, hint)
    return symbols


def batch_of(module, symbols):
    """(symbol, number) of the first dimension of the first input; no symbol: it is a number."""
    for name in user_inputs(module):
        for size in module["graph"]["tensor_values"][name]["sizes"][:1]:
            symbol, _ = symbol_in(size)
            return (symbol, symbols[symbol]) if symbol is not None else (None, evaluated(size, symbols))
    return None, 1


def _power(base, exponent):
    if not 0 <= exponent <= 8 or abs(base) > SIZE_MAX:
        raise ValueError("a power too large")
    return base ** exponent


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
             ast.Div: operator.floordiv, ast.Mod: operator.mod, ast.Pow: _power}
CALLS = {"Add": operator.add, "Mul": operator.mul, "FloorDiv": operator.floordiv, "CleanDiv": operator.floordiv,
         "Mod": operator.mod, "PythonMod": operator.mod, "Pow": _power, "Min": min, "Max": max, "Integer": max}


def evaluated(size, symbols):
    """The number that {"as_int": 3} or {"as_expr": {"expr_str": "2*s0"}} is; also as SymPy's Mul(Integer(2), Symbol('s0'))."""
    if "as_int" in size:
        number = size["as_int"]
    else:
        text = size["as_expr"]["expr_str"]
        try:
            number = _evaluated(parsed(text), symbols)
        except BROKEN + (SyntaxError, MemoryError) as why:
            raise Pt2Error(f'the size "{text[:80]}" follows from no size of an input') from why
    if not isinstance(number, int) or not 0 <= number <= SIZE_MAX:
        raise Pt2Error(f"a size of {number!r:.40}, expected one from 0 to {SIZE_MAX}")
    return number


def _evaluated(node, symbols):
    if isinstance(node, ast.BinOp):
        number = OPERATORS[type(node.op)](_evaluated(node.left, symbols), _evaluated(node.right, symbols))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = -_evaluated(node.operand, symbols)
    elif isinstance(node, ast.Name):
        number = symbols[node.id]
    elif isinstance(node, ast.Call) and node.func.id == "Symbol":
        number = symbols[ast.literal_eval(node.args[0])]
    elif isinstance(node, ast.Call):
        numbers = [_evaluated(arg, symbols) for arg in node.args]
        number = numbers[0]
        for other in numbers[1:]:
            number = CALLS[node.func.id](number, other)
    else:
        number = ast.literal_eval(node)
    if not isinstance(number, int) or abs(number) > SIZE_MAX:
        raise ValueError("no whole number, or too large a one")
    return number


# ----------------------------------------------------------------------------------------------
# The graph

class _Reader:
    """One reading of a program, with the symbols as they are given."""

    def __init__(self, program, symbols):
        module, self.files = program["graph_module"], program["files"]
        self.program, self.signature, self.symbols = module["graph"], module["signature"], symbols
        self.metas, self.numbers, self.values = self.program["tensor_values"], self.program.get("sym_int_values", {}), {}
        self.net = aten.Network("", aten.read_rows(exported=True))
        self.is_eval = False

    def value(self, name, kind="computed", given=""):
        if name not in self.values:
            meta = self.metas[name]
            shape = [evaluated(size, self.symbols) for size in meta["sizes"]]
            if len(shape) > 8 or math.prod(shape) > SIZE_MAX:
                raise Pt2Error(f"tensor \"{name[:80]}\" has {len(shape)} dimensions, or is too large")
            dtype = meta["dtype"]
            self.values[name] = aten.Value(shape, DTYPES.get(dtype, "u8"), kind, given or name,
                                           kind == "param" and bool(meta.get("requires_grad")))
        return self.values[name]

    def declare(self):
        held = {}  # file in the archive -> the parameter in it, which may have several names
        for spec in self.signature["input_specs"]:
            for key, kind in (("parameter", "param"), ("buffer", "buffer"), ("tensor_constant", "constant")):
                if key in spec:
                    name, given = spec[key]["arg"]["name"], spec[key].get(key + "_name", "")
                    value = self.value(name, kind, given)
                    first = held.setdefault(self.files.get(given, given), value) if kind == "param" else value
                    if first.shape == value.shape:
                        self.values[name] = first
        for name in user_inputs({"signature": self.signature}):
            value = self.value(name, "input")
            self.net.get(None, value)

    def argument(self, arg):
        """A value, a number, a list of them, or None."""
        (kind, given), = arg.items()
        if kind == "as_tensor":
            return self.value(given["name"])
        if kind == "as_tensors":
            return [self.value(item["name"]) for item in given]
        if kind == "as_optional_tensors":
            return [self.value(item["as_tensor"]["name"]) if "as_tensor" in item else None for item in given]
        if kind == "as_sym_int":
            return self.number(given)
        if kind == "as_sym_ints":
            return [self.number(item) for item in given]
        if kind == "as_float" and isinstance(given, str):
            return float(given)
        return given if kind in ("as_int", "as_ints", "as_float", "as_floats", "as_bool", "as_string") else None

    def number(self, item):
        return item["as_int"] if "as_int" in item else evaluated(self.numbers[item["as_name"]], self.symbols)

    def outputs(self, node):
        for arg in node["outputs"]:
            made = self.argument(arg) if "as_tensor" in arg or "as_tensors" in arg else []
            yield from made if isinstance(made, list) else [made]

    def run(self, node):
        """A call of the program. Those that make no tensor are numbers of sizes, and checks."""
        outs = list(self.outputs(node))
        if not outs:
            return
        target = node["target"]
        name = target.split(".")[3] if target.startswith("torch.ops.aten.") else target.replace("torch.ops.", "", 1)
        writes = [0] if name.endswith("_") and not name.startswith("_") else []
        name = name[:-1] if writes else name
        row = self.net.rows.get((name, "forward"))
        args, late = [], {}
        for item in node["inputs"]:
            if item.get("kind") == 2:
                late[item["name"]] = self.argument(item["arg"])
            else:
                args.append(self.argument(item["arg"]))
        for key, at in (row.attrs.items() if row else ()):  # what is given by its name
            word = next((word for word in late if key in word), None)
            if word is not None and isinstance(at, int) and at >= len(args):
                args += [None] * (at + 1 - len(args))
                args[at] = late[word]
        if name in DROPOUT and len(args) > 2 and args[2] is False:
            name, args, self.is_eval = "alias", args[:1], True
        call = aten.Call(name, args, outs, path_of(node, args), writes, None if row else name)
        row = self.net.rows.get((name, "forward"))
        if row is not None and row.phase == "view" and args and isinstance(args[0], aten.Value):
            for out in outs:
                out.of, out.view = args[0].of, call
                out.kind = "constant" if args[0].kind == "constant" else "computed"
        self.add(call)

    def add(self, call):
        """The nodes of a call; in a form that its rule does not know, it is costed by its bytes."""
        net = self.net
        before = len(net.nodes)
        try:
            net.run(call)
        except BROKEN:
            for node in net.nodes[before:]:
                net.by_name.pop(node["name"], None)
            del net.nodes[before:]
            names = {entry["name"] for kind in (net.inputs, net.params, net.consts, net.nodes) for entry in kind}
            for key in [key for key, name in net.copies.items() if name not in names]:
                del net.copies[key]
            call.unknown = call.unknown or call.aten
            net.run(call)

    def graph(self, name):
        net = self.net
        net.name = name
        self.declare()
        for node in self.program["nodes"]:
            self.run(node)
        results = []
        for spec in self.signature["output_specs"]:
            arg = (spec.get("user_output") or spec.get("loss_output") or {}).get("arg", {})
            if "as_tensor" in arg:
                value = self.value(arg["as_tensor"]["name"])
                call = aten.Call("output", [value], [value])
                results.append(net.plain(call, net.get(call, value)))
        if not results:
            raise Pt2Error("no output is a tensor")
        for value in self.values.values():  # parameters that no call read
            if value.kind == "param" and value not in net.owner:
                net.declare(value)
        if self.is_eval:
            net.notes.append("exported in evaluation mode: its dropout does not run")
        if net.unknown:
            net.notes.append("operators without a row, costed by their bytes: " + ", ".join(
                "%s (%d)" % item for item in sorted(net.unknown.items())))
        return net.graph(results, 1, self.values.values())


def path_of(node, args):
    """The module that made the call: of its weights, else as PyTorch wrote it: "key,path,type;key,path,type"."""
    for value in aten.values_in(args):
        if value.kind == "param" and "." in value.name:
            return value.name.rsplit(".", 1)[0]
    last = ((node.get("metadata") or {}).get("nn_module_stack") or "").split(";")[-1].split(",")
    return last[1] if len(last) > 2 else ""


def main(words):
    if len(words) != 1 or words[0].startswith("-"):
        print("usage: python3 -m epochcast.pt2 FILE.pt2 > FILE.json", file=sys.stderr)
        return 2
    try:
        graph = read(words[0])
    except (Pt2Error, OSError) as error:
        print(f"epochcast.pt2: {error}", file=sys.stderr)
        return 1
    json.dump(graph, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
