"""Archives as torch.export.save writes them (schema 8), for the tests: an MLP, a CNN with batch norm, an attention block."""
import copy
import json
import zipfile

FLOAT, LONG = 7, 5


class Program:
    """A program whose calls are added one by one. Sizes are numbers, and texts for symbols: "s0" stands for 4."""

    def __init__(self):
        self.inputs, self.specs, self.nodes, self.metas, self.ints = [], [], [], {}, {}

    def tensor(self, name, *sizes, dtype=FLOAT, grad=False):
        def size(d):
            hint = eval(d, {}, {"s0": 4}) if isinstance(d, str) else d  # texts of this file
            return {"as_int": d} if isinstance(d, int) else {"as_expr": {"expr_str": d, "hint": {"as_int": hint}}}
        self.metas[name] = {"dtype": dtype, "sizes": [size(d) for d in sizes], "requires_grad": grad,
                            "device": {"type": "cpu", "index": None}, "strides": [{"as_int": 1} for _ in sizes],
                            "storage_offset": {"as_int": 0}, "layout": 7}
        return {"as_tensor": {"name": name}}

    def given(self, kind, name, *sizes, dtype=FLOAT):
        short = name if kind == "user_input" else {"parameter": "p_", "buffer": "b_"}[kind] + name.replace(".", "_")
        arg = self.tensor(short, *sizes, dtype=dtype, grad=kind == "parameter")
        self.inputs.append(arg)
        spec = {"arg": arg} if kind == "user_input" else {"arg": {"name": short}, kind + "_name": name}
        self.specs.append({kind: dict(spec, persistent=True) if kind == "buffer" else spec})
        return arg

    def call(self, target, *args, out=(), names=None, **keywords):
        """The output of a call, or outputs where `out` is a list of sizes."""
        first = out and isinstance(out[0], (list, tuple))
        made = [self.tensor("%s_%d" % (target.split(".")[0], len(self.metas)), *sizes) for sizes in (out if first else [out])]
        self.nodes.append({
            "target": "torch.ops.aten." + target,
            "inputs": [{"name": "a%d" % at, "arg": argument(arg), "kind": 1} for at, arg in enumerate(args)] +
                      [{"name": key, "arg": argument(arg), "kind": 2} for key, arg in keywords.items()],
            "outputs": [{"as_tensors": [t["as_tensor"] for t in made]}] if names == "list" else made,
            "metadata": {"nn_module_stack": "L__self__,,Model;L__self___body,body,torch.nn.Module"}})
        return made if first else made[0]

    def document(self, *outputs, major=8, minor=7):
        graph = {"inputs": self.inputs, "outputs": list(outputs), "nodes": self.nodes, "tensor_values": self.metas,
                 "sym_int_values": self.ints, "sym_bool_values": {}, "is_single_tensor_return": False,
                 "custom_obj_values": {}, "sym_float_values": {}}
        return {"graph_module": {"graph": graph, "signature": {
            "input_specs": self.specs, "output_specs": [{"user_output": {"arg": out}} for out in outputs]},
            "module_call_graph": [], "metadata": {}}, "opset_version": {"aten": 10},
            "range_constraints": {"s0": {"min_val": 2, "max_val": 1024}}, "verifiers": ["TRAINING"],
            "schema_version": {"major": major, "minor": minor}, "torch_version": "2.8.0"}


def argument(value):
    if value is None:
        return {"as_none": True}
    for kind, name in ((bool, "as_bool"), (int, "as_int"), (float, "as_float"), (str, "as_string")):
        if isinstance(value, kind):
            return {name: value}
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
        return {"as_tensors": [item["as_tensor"] for item in value]}
    return {"as_ints": list(value)} if isinstance(value, (list, tuple)) else value


def linear(p, x, name, k, n, lead):
    w, b = p.given("parameter", name + ".weight", n, k), p.given("parameter", name + ".bias", n)
    return p.call("linear.default", x, w, b, out=[*lead, n])


def mlp():
    p = Program()
    h = linear(p, p.given("user_input", "x", "s0", 64), "fc1", 64, 256, ["s0"])
    h = p.call("gelu.default", p.call("relu_.default", h, out=["s0", 256]), out=["s0", 256], approximate="tanh")
    h = p.call("dropout.default", h, 0.1, False, out=["s0", 256])
    return p.document(linear(p, h, "fc2", 256, 10, ["s0"]))


def cnn():
    """As run_decompositions leaves it, but for the pools."""
    p = Program()
    x = p.given("user_input", "image", "s0", 3, 32, 32)
    x = p.call("conv2d.default", x, p.given("parameter", "conv.weight", 16, 3, 3, 3), None, [2, 2], [1, 1],
               out=["s0", 16, 16, 16])
    norm = [p.given("parameter", "bn." + role, 16) for role in ("weight", "bias")] + [
        p.given("buffer", "bn." + role, 16) for role in ("running_mean", "running_var")]
    x = p.call("batch_norm.default", x, *norm, True, 0.1, 1e-5, True, out=["s0", 16, 16, 16])
    x = p.call("max_pool2d.default", x, [2, 2], [2, 2], out=["s0", 16, 8, 8])
    x = p.call("adaptive_avg_pool2d.default", x, [1, 1], out=["s0", 16, 1, 1])
    x = p.call("flatten.using_ints", x, 1, out=["s0", 16])
    turned = p.call("permute.default", p.given("parameter", "fc.weight", 10, 16), [1, 0], out=[16, 10])
    return p.document(p.call("addmm.default", p.given("parameter", "fc.bias", 10), x, turned, out=["s0", 10]))


def attention():
    """Words, one block, the scores of all words; sizes as SymPy writes them; the table of words is shared."""
    p, s = Program(), "s0"
    words = p.given("parameter", "embed.weight", 100, 64)
    x = p.call("embedding.default", words, p.given("user_input", "ids", s, 16, dtype=LONG), out=[s, 16, 64])
    norm = [p.given("parameter", "ln." + role, 64) for role in ("weight", "bias")]
    h = p.call("layer_norm.default", x, [64], *norm, 1e-5, out=[s, 16, 64])
    qkv = p.call("chunk.default", linear(p, h, "qkv", 64, 192, [s, 16]), 3, -1, out=[[s, 16, 64]] * 3, names="list")
    p.ints["sym_size"] = {"as_expr": {"expr_str": "s0", "hint": {"as_int": 4}}}
    heads = []
    for part in qkv:
        part = p.call("view.default", part, {"as_sym_ints": [{"as_name": "sym_size"}] + [
            {"as_int": d} for d in (16, 4, 16)]}, out=[s, 16, 4, 16])
        heads.append(p.call("transpose.int", part, 1, 2, out=[s, 4, 16, 16]))
    h = p.call("scaled_dot_product_attention.default", *heads, None, 0.0, True, out=[s, 4, 16, 16])
    h = p.call("reshape.default", p.call("transpose.int", h, 1, 2, out=[s, 16, 4, 16]), [-1, 16, 64], out=[s, 16, 64])
    x = p.call("add.Tensor", x, linear(p, h, "proj", 64, 64, [s, 16]), out=[s, 16, 64])
    x = p.call("special_bessel_j0.default", x, out=[s, 16, 64])  # of which we have no row
    rows = p.call("view.default", x, [-1, 64], out=["16*s0", 64])
    out = p.call("linear.default", rows, words, out=["16*s0", 100])
    document = p.document(out)
    text = json.dumps(document).replace('"16*s0"', "\"Mul(Integer(16), Symbol('s0', positive=True, integer=True))\"")
    return json.loads(text.replace('"s0", "hint"', "\"Symbol('s0', positive=True, integer=True)\", \"hint\""))


def fixed(document):
    """The same without symbols."""
    document = copy.deepcopy(document)
    for meta in document["graph_module"]["graph"]["tensor_values"].values():
        meta["sizes"] = [{"as_int": d["as_expr"]["hint"]["as_int"]} if "as_expr" in d else d for d in meta["sizes"]]
    return document


def write(path, document, name="model/models/model.json"):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model/archive_format", "pt2")
        archive.writestr(name, document if isinstance(document, (str, bytes)) else json.dumps(document))
        archive.writestr("model/data/weights/weight_0", b"\0" * 64)
    return path
