"""Cases of operators in PyTorch: the text of a case to inputs and a function. Attributes and their defaults are
those of `epochcast op NAME`; tests hold the shapes and parameters against the command's own."""
import math
import re

import torch
from torch import nn
from torch.nn import functional as F


class Unsupported(Exception):
    """This PyTorch or this collector has no such case; the text is a sentence."""


class Case:
    """An operator with its inputs. call(*inputs) gives one tensor."""

    def __init__(self, call, inputs, module=None):
        self.call, self.inputs, self.module = call, inputs, module

    def params(self):
        return [p for p in self.module.parameters() if p.requires_grad] if self.module else []


# ----------------------------------------------------------------------------------------------
# Case text

def parse(text):
    """Operator and words of a case."""
    words = text.split()
    if not words or any("=" not in word for word in words[1:]):
        raise Unsupported(f"not the text of a case: {text}")
    return words[0], dict(word.split("=", 1) for word in words[1:])


def numbers(text):
    return [int(part) for part in text.replace(",", "x").split("x") if part]


class Read(dict):
    """Words that remember which of them were asked for."""

    def __init__(self, words):
        super().__init__(words)
        self.used = set()

    def __getitem__(self, name):
        self.used.add(name)
        return super().__getitem__(name)

    def __contains__(self, name):
        self.used.add(name)
        return super().__contains__(name)

    def get(self, name, default=None):
        self.used.add(name)
        return super().get(name, default)


class Words:
    """Words of a case by name, with the defaults of the operator."""

    def __init__(self, words):
        self.words = Read(words)

    def int(self, name, default=None):
        text = self.words.get(name, default)
        if text is None:
            raise Unsupported(f"the case has no {name}=")
        return int(text)

    def float(self, name, default):
        return float(self.words.get(name, default))

    def ints(self, name, default, n):
        v = numbers(self.words.get(name, default))
        return v * n if len(v) == 1 else v

    def shape(self, name="x"):
        if name not in self.words:
            raise Unsupported(f"the case has no {name}=")
        return numbers(self.words[name])

    def dims(self, names):
        return [self.int(name) for name in names.split()]


def data(shape):
    """Positive, so that logarithms, roots and powers are ordinary numbers."""
    return torch.rand(shape) + 0.5


def table_case(fn, w):
    return Case(fn, [data(w.shape())])


def module_case(module, shape):
    return Case(module, [data(shape)], module)


# ----------------------------------------------------------------------------------------------
# Windows

SPATIAL = {1: ["w"], 2: ["h", "w"], 3: ["d", "h", "w"]}


def filter_of(w, dims):
    r = w.int("r", 1)
    if dims == 1:
        return [r]
    s = w.int("s", 0) or r
    return [r, s] if dims == 2 else [w.int("t", 1), r, s]


def padding(w, dims, size, filters, stride, dil):
    """(begins, ends) per spatial dimension."""
    text = w.words.get("pad", "0")
    if text == "valid":
        return [0] * dims, [0] * dims
    if text == "same":
        total = [max((-(-n // s) - 1) * s + (f - 1) * d + 1 - n, 0)
                 for n, f, s, d in zip(size, filters, stride, dil)]
        return [t // 2 for t in total], [t - t // 2 for t in total]
    v = numbers(text)
    if len(v) == 2 * dims and dims > 0 and len(v) > 1 and not (dims == 1 and len(v) == 1):
        return v[:dims], v[dims:]
    v = v * dims if len(v) == 1 else v
    return v, v


def padded(call, begins, ends, value):
    """Uneven padding is done before the operator, as frameworks do it."""
    pads = [p for pair in reversed(list(zip(begins, ends))) for p in pair]
    return lambda x: call(F.pad(x, pads, value=value))


def input_shape(w, dims):
    return w.dims("n c") + w.dims(" ".join(SPATIAL[dims]))


def conv(dims, transposed):
    kinds = {(1, False): nn.Conv1d, (2, False): nn.Conv2d, (3, False): nn.Conv3d,
             (1, True): nn.ConvTranspose1d, (2, True): nn.ConvTranspose2d, (3, True): nn.ConvTranspose3d}

    def build(w):
        shape = input_shape(w, dims)
        filters, stride, dil = filter_of(w, dims), w.ints("stride", "1", dims), w.ints("dil", "1", dims)
        begins, ends = padding(w, dims, shape[2:], filters, stride, dil)
        uneven = begins != ends
        if uneven and transposed:
            raise Unsupported("uneven padding of a transposed convolution")
        options = {"output_padding": w.ints("out_pad", "0", dims)} if transposed else {}
        module = kinds[dims, transposed](
            shape[1], w.int("k"), filters, stride=stride, padding=0 if uneven else begins, dilation=dil,
            groups=w.int("groups", 1), bias=bool(w.int("bias", 1)), **options)
        return Case(padded(module, begins, ends, 0.0) if uneven else module, [data(shape)], module)
    return build


def conv2d_each(w):
    shape, stride, dil = input_shape(w, 2), w.ints("stride", "1", 2), w.ints("dil", "1", 2)
    n, c, height, width = shape
    begins, ends = padding(w, 2, [height, width], filter_of(w, 2), stride, dil)
    if begins != ends:
        raise Unsupported("uneven padding of filters for each sample")

    outputs, groups = w.int("k"), w.int("groups", 1)

    def call(x, filters):
        y = F.conv2d(x.reshape(1, n * c, height, width), filters.flatten(0, 1), stride=stride,
                     padding=begins, dilation=dil, groups=n * groups)
        return y.reshape(n, outputs, *y.shape[2:])
    return Case(call, [data(shape), data(w.shape("y"))])


def pool(dims, largest):
    kinds = {(1, True): F.max_pool1d, (2, True): F.max_pool2d, (3, True): F.max_pool3d,
             (1, False): F.avg_pool1d, (2, False): F.avg_pool2d, (3, False): F.avg_pool3d}

    def build(w):
        shape = input_shape(w, dims)
        filters, dil = filter_of(w, dims), w.ints("dil", "1", dims)
        stride = [s or f for s, f in zip(w.ints("stride", "0", dims), filters)]
        begins, ends = padding(w, dims, shape[2:], filters, stride, dil)
        uneven = begins != ends
        options = {"stride": stride, "padding": 0 if uneven else begins, "ceil_mode": bool(w.int("ceil", 0))}
        if largest:
            options["dilation"] = dil
        else:
            options["count_include_pad"] = bool(w.int("count_include_pad", 1))

        def call(x):
            return kinds[dims, largest](x, filters, **options)
        return Case(padded(call, begins, ends, -math.inf if largest else 0.0) if uneven else call, [data(shape)])
    return build


def adaptive(largest):
    kinds = {(1, False): F.adaptive_avg_pool1d, (2, False): F.adaptive_avg_pool2d, (3, False): F.adaptive_avg_pool3d,
             (1, True): F.adaptive_max_pool1d, (2, True): F.adaptive_max_pool2d, (3, True): F.adaptive_max_pool3d}

    def build(w):
        shape = w.shape()
        dims = len(shape) - 2
        out = w.ints("out", "1", dims)
        return Case(lambda x: kinds[dims, largest](x, out), [data(shape)])
    return build


def global_pool(largest):
    def build(w):
        w.words["out"] = "1"
        return adaptive(largest)(w)
    return build


# ----------------------------------------------------------------------------------------------
# Matrices, attention, sequences

def linear(w):
    m, k = w.dims("m k")
    return module_case(nn.Linear(k, w.int("n"), bias=bool(w.int("bias", 1))), [m, k])


def matmul(w):
    ta, tb = w.int("transpose_a", 0), w.int("transpose_b", 0)

    def call(x, y):
        return torch.matmul(x.transpose(-1, -2) if ta else x, y.transpose(-1, -2) if tb else y)
    return Case(call, [data(w.shape("x")), data(w.shape("y"))])


def grouped_matmul(w):
    tb, x, y = w.int("transpose_b", 0), w.shape("x"), w.shape("y")
    ends = [x[0] * (i + 1) // y[0] for i in range(y[0])]

    def call(x, y):
        y = y.transpose(-1, -2) if tb else y
        if x.is_cuda and x.dtype == torch.bfloat16 and hasattr(torch, "_grouped_mm"):
            return torch._grouped_mm(x, y, offs=torch.tensor(ends, dtype=torch.int32, device=x.device))
        return torch.cat([x[start:end] @ y[i] for i, (start, end) in enumerate(zip([0] + ends, ends))])
    return Case(call, [data(x), data(y)])


def attention_by_hand(q, k, v, causal, p):
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(mask, -math.inf)
    return torch.matmul(F.dropout(torch.softmax(scores, -1), p), v)


def attention(w):
    b, t, u, d, e = w.dims("b t u d e")
    causal, p = bool(w.int("causal", 0)), w.float("p", 0)
    if w.int("window", 0):
        raise Unsupported("attention in a window has no fused kernel here")
    fused = getattr(F, "scaled_dot_product_attention", None)

    def call(q, k, v):
        if fused:
            return fused(q, k, v, dropout_p=p, is_causal=causal)
        return attention_by_hand(q, k, v, causal, p)
    return Case(call, [data([b, 1, t, d]), data([b, 1, u, d]), data([b, 1, u, e])])


def multi_head_attention(w):
    n, t, c = w.dims("n t c")
    module = nn.MultiheadAttention(c, w.int("heads", 8), dropout=w.float("p", 0), bias=bool(w.int("bias", 1)),
                                   batch_first=True)
    mask = torch.full((t, t), -math.inf).triu(1) if w.int("causal", 0) else None
    if mask is not None:
        module.register_buffer("mask", mask, persistent=False)

    def call(x):
        return module(x, x, x, need_weights=False, attn_mask=module.mask if mask is not None else None)[0]
    return Case(call, [data([n, t, c])], module)


class Experts(nn.Module):
    """Tokens in the order of their experts, then one expert after the other."""

    def __init__(self, c, experts, ffn, gated, bias, top_k):
        super().__init__()
        self.top_k, self.gated, inner = top_k, gated, ffn * (2 if gated else 1)
        self.up = nn.ModuleList(nn.Linear(c, inner, bias=bias) for _ in range(experts))
        self.down = nn.ModuleList(nn.Linear(ffn, c, bias=bias) for _ in range(experts))

    def inside(self, x, i):
        x = self.up[i](x)
        if not self.gated:
            return self.down[i](F.gelu(x))
        gate, x = x.chunk(2, -1)
        return self.down[i](F.silu(gate) * x)

    def forward(self, x, scores):
        weight, expert = scores.topk(self.top_k, -1)
        order = expert.flatten().argsort()
        token = order // self.top_k
        parts = x[token].split(torch.bincount(expert.flatten(), minlength=len(self.up)).tolist())
        y = torch.cat([self.inside(part, i) for i, part in enumerate(parts)])
        return torch.zeros_like(x).index_add(0, token, y * weight.flatten()[order][:, None])


def experts(w):
    m, c, e = w.dims("m c e")
    module = Experts(c, e, w.int("ffn"), bool(w.int("gated", 1)), bool(w.int("bias", 0)), w.int("top_k", 1))
    return Case(module, [data([m, c]), data([m, e])], module)


def embedding(w):
    num = w.int("num")
    module = nn.Embedding(num, w.int("dim"))
    return Case(module, [torch.randint(num, w.shape())], module)


class Positions(nn.Module):
    def __init__(self, t, c, learned):
        super().__init__()
        table = torch.rand(t, c)
        if learned:
            self.table = nn.Parameter(table)
        else:
            self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[:x.shape[1]]


def positional_encoding(w):
    n, t, c = w.dims("n t c")
    return module_case(Positions(w.int("max_len", 0) or t, c, w.int("learned", 0)), [n, t, c])


def recurrent(kind):
    def build(w):
        n, t, c = w.dims("n t c")
        module = kind(c, w.int("hidden"), w.int("layers", 1), bias=bool(w.int("bias", 1)), batch_first=True,
                      bidirectional=bool(w.int("bidir", 0)))
        return Case(lambda x: module(x)[0], [data([n, t, c])], module)
    return build


# ----------------------------------------------------------------------------------------------
# Norms

def batch_norm(w):
    shape = w.shape()
    kind = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[len(shape)]
    return module_case(kind(shape[1], affine=bool(w.int("affine", 1))), shape)


def instance_norm(w):
    shape = w.shape()
    kind = {3: nn.InstanceNorm1d, 4: nn.InstanceNorm2d, 5: nn.InstanceNorm3d}[len(shape)]
    return module_case(kind(shape[1], affine=bool(w.int("affine", 0))), shape)


def group_norm(w):
    shape = w.shape()
    return module_case(nn.GroupNorm(w.int("groups"), shape[1], affine=bool(w.int("affine", 1))), shape)


class LayerNorm(nn.Module):
    def __init__(self, shape, affine, bias):
        super().__init__()
        self.shape = list(shape)
        self.weight = nn.Parameter(torch.ones(shape)) if affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if affine and bias else None

    def forward(self, x):
        return F.layer_norm(x, self.shape, self.weight, self.bias)


def layer_norm(w):
    shape = w.shape()
    return module_case(LayerNorm(shape[-w.int("dims", 1):], w.int("affine", 1), w.int("bias", 1)), shape)


class RmsNorm(nn.Module):
    def __init__(self, shape, affine, wide):
        super().__init__()
        self.wide = wide  # multiplied in float32 by 1 + weight, as Gemma's code does
        self.axes = tuple(range(-len(shape), 0))
        self.shape = list(shape)
        self.weight = nn.Parameter(torch.ones(shape)) if affine else None

    def forward(self, x):
        if self.wide:
            y = x.float() * torch.rsqrt(x.float().pow(2).mean(self.axes, keepdim=True) + 1e-6)
            return (y if self.weight is None else y * (1 + self.weight.float())).to(x.dtype)
        if hasattr(F, "rms_norm"):
            return F.rms_norm(x, self.shape, self.weight)
        y = x * torch.rsqrt(x.pow(2).mean(self.axes, keepdim=True) + 1e-6)
        return y if self.weight is None else y * self.weight


def rms_norm(w):
    shape = w.shape()
    return module_case(RmsNorm(shape[-w.int("dims", 1):], w.int("affine", 1), w.int("wide", 0)), shape)


# ----------------------------------------------------------------------------------------------
# Element by element, softmax, losses

def unary(fn):
    return lambda w: table_case(fn, w)


def binary(fn):
    return lambda w: Case(fn, [data(w.shape("x")), data(w.shape("y"))])


def gelu(w):
    if w.words.get("approx") == "tanh":
        return table_case(lambda x: F.gelu(x, approximate="tanh"), w)
    return table_case(F.gelu, w)


def softmax(fn):
    return lambda w: table_case(lambda x, axis=w.int("axis", -1): fn(x, axis), w)


def dropout(w):
    return table_case(lambda x, p=w.float("p", 0.5): F.dropout(x, p), w)


def drop_path(w):
    p = w.float("p", 0)

    def call(x):
        keep = torch.rand([x.shape[0]] + [1] * (x.dim() - 1), device=x.device, dtype=x.dtype) >= p
        return x * keep.to(x.dtype) / (1 - p)
    return table_case(call, w)


def prelu(w):
    return module_case(nn.PReLU(w.int("params", 1)), w.shape())


class Loss(nn.Module):
    """Holds the target beside the function, so that it moves with it; it has no gradient."""

    def __init__(self, fn, target):
        super().__init__()
        self.fn = fn
        self.register_buffer("target", target)

    def forward(self, x):
        target = self.target
        return self.fn(x, target.to(x.dtype) if target.is_floating_point() else target)


def element_loss(fn):
    return lambda w: module_case(Loss(fn, torch.rand(w.shape())), w.shape())


def cross_entropy(w):
    n, c = w.dims("n c")
    return module_case(Loss(F.cross_entropy, torch.randint(c, [n])), [n, c])


# ----------------------------------------------------------------------------------------------
# Movement: what PyTorch would only view is copied, as the next operator makes it do

def transpose(w):
    axes = [int(part) for part in w.words["perm"].split("x")] if "perm" in w.words else None
    return table_case(lambda x: x.permute(axes or list(range(x.dim()))[::-1]).contiguous(), w)


def concat(w):
    axis = w.int("axis", 1)
    names = [name for name in w.words if name in ("x", "y", "z") or re.fullmatch(r"x\d+", name)]
    return Case(lambda *parts: torch.cat(parts, axis), [data(w.shape(name)) for name in names])


def cut(w):
    shape = w.shape()
    if "starts" not in w.words or "ends" not in w.words:
        raise Unsupported("the case has no starts= and ends=")
    starts, ends = ([int(part) for part in w.words[name].split("x")] for name in ("starts", "ends"))
    axes = w.ints("axes", "x".join(map(str, range(len(starts)))), 1)
    steps = w.ints("steps", "1", len(starts))
    if min(steps) < 1:
        raise Unsupported("a slice with a negative step")
    part = [slice(None)] * len(shape)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        part[axis] = slice(start, end, step)
    return Case(lambda x: x[tuple(part)].contiguous(), [data(shape)])


# ----------------------------------------------------------------------------------------------
# The operators

class Operator:
    """A row: builds a case, and says what must be known before anything is built. params: whether it has parameters, or
    the attribute that says so and its default; image: the layout of images makes a difference (None: to an input of
    four dimensions)."""

    def __init__(self, build, params=False, input_grad=True, image=None):
        self.build, self.params, self.input_grad, self.image = build, params, input_grad, image


OPERATORS = {
    "abs": Operator(unary(torch.abs)),
    "adaptive_avg_pool": Operator(adaptive(False)),
    "adaptive_max_pool": Operator(adaptive(True)),
    "add": Operator(binary(torch.add)),
    "attention": Operator(attention),
    "avg_pool1d": Operator(pool(1, False)),
    "avg_pool2d": Operator(pool(2, False), image=True),
    "avg_pool3d": Operator(pool(3, False)),
    "batch_norm": Operator(batch_norm, params=("affine", 1)),
    "bce": Operator(element_loss(F.binary_cross_entropy_with_logits)),
    "ceil": Operator(unary(torch.ceil), input_grad=False),
    "clip": Operator(unary(lambda x: torch.clamp(x, 0.6, 1.4))),
    "concat": Operator(concat),
    "conv1d": Operator(conv(1, False), params=True),
    "conv2d": Operator(conv(2, False), params=True, image=True),
    "conv2d_each": Operator(conv2d_each, image=True),
    "conv3d": Operator(conv(3, False), params=True),
    "conv_transpose1d": Operator(conv(1, True), params=True),
    "conv_transpose2d": Operator(conv(2, True), params=True, image=True),
    "conv_transpose3d": Operator(conv(3, True), params=True),
    "cos": Operator(unary(torch.cos)),
    "cross_entropy": Operator(cross_entropy),
    "div": Operator(binary(torch.div)),
    "drop_path": Operator(drop_path),
    "dropout": Operator(dropout),
    "elu": Operator(unary(F.elu)),
    "embedding": Operator(embedding, params=True, input_grad=False),
    "erf": Operator(unary(torch.erf)),
    "exp": Operator(unary(torch.exp)),
    "experts": Operator(experts, params=True),
    "floor": Operator(unary(torch.floor), input_grad=False),
    "gelu": Operator(gelu),
    "global_avg_pool": Operator(global_pool(False)),
    "global_max_pool": Operator(global_pool(True)),
    "grouped_matmul": Operator(grouped_matmul),
    "group_norm": Operator(group_norm, params=("affine", 1)),
    "gru": Operator(recurrent(nn.GRU), params=True),
    "hard_sigmoid": Operator(unary(F.hardsigmoid)),
    "hard_swish": Operator(unary(F.hardswish)),
    "instance_norm": Operator(instance_norm, params=("affine", 0)),
    "layer_norm": Operator(layer_norm, params=("affine", 1)),
    "leaky_relu": Operator(lambda w: table_case(lambda x, a=w.float("alpha", 0.01): F.leaky_relu(x, a), w)),
    "linear": Operator(linear, params=True),
    "log": Operator(unary(torch.log)),
    "log_softmax": Operator(softmax(torch.log_softmax)),
    "lrn": Operator(lambda w: table_case(lambda x, n=w.int("size", 5): F.local_response_norm(x, n), w)),
    "lstm": Operator(recurrent(nn.LSTM), params=True),
    "mae": Operator(element_loss(F.l1_loss)),
    "matmul": Operator(matmul, image=False),
    "max": Operator(binary(torch.maximum)),
    "max_pool1d": Operator(pool(1, True)),
    "max_pool2d": Operator(pool(2, True), image=True),
    "max_pool3d": Operator(pool(3, True)),
    "min": Operator(binary(torch.minimum)),
    "mish": Operator(unary(F.mish)),
    "mod": Operator(binary(torch.remainder)),
    "mse": Operator(element_loss(F.mse_loss)),
    "mul": Operator(binary(torch.mul)),
    "multi_head_attention": Operator(multi_head_attention, params=True),
    "neg": Operator(unary(torch.neg)),
    "positional_encoding": Operator(positional_encoding, params=("learned", 0)),
    "pow": Operator(binary(torch.pow)),
    "pow_scalar": Operator(lambda w: table_case(lambda x, p=w.float("p", 2): torch.pow(x, p), w)),
    "prelu": Operator(prelu, params=True),
    "reciprocal": Operator(unary(torch.reciprocal)),
    "relu": Operator(unary(F.relu)),
    "relu6": Operator(unary(F.relu6)),
    "rms_norm": Operator(rms_norm, params=("affine", 1)),
    "rnn": Operator(recurrent(nn.RNN), params=True),
    "round": Operator(unary(torch.round), input_grad=False),
    "rsqrt": Operator(unary(torch.rsqrt)),
    "scale_scalar": Operator(unary(lambda x: x * 1.5)),
    "selu": Operator(unary(F.selu)),
    "sigmoid": Operator(unary(torch.sigmoid)),
    "sign": Operator(unary(torch.sign), input_grad=False),
    "silu": Operator(unary(F.silu)),
    "sin": Operator(unary(torch.sin)),
    "slice": Operator(cut),
    "softmax": Operator(softmax(torch.softmax), image=False),
    "softplus": Operator(unary(F.softplus)),
    "softsign": Operator(unary(F.softsign)),
    "sqrt": Operator(unary(torch.sqrt)),
    "sub": Operator(binary(torch.sub)),
    "tanh": Operator(unary(torch.tanh)),
    "transpose": Operator(transpose),
}
UNKNOWN = Operator(None)
VALUES = ("eps", "momentum", "lo", "hi", "mul", "add", "dtype")  # attributes that change no time


def row_of(text):
    """The operator's row, and the words of the case."""
    op, words = parse(text)
    return OPERATORS.get(op, UNKNOWN), words


def has_params(text):
    row, words = row_of(text)
    if isinstance(row.params, tuple):
        word, default = row.params
        return int(words.get(word, default)) != 0
    return row.params


def has_input_grad(text):
    return row_of(text)[0].input_grad


def is_image(text):
    """The layout of images makes a difference to it."""
    row, words = row_of(text)
    return len(numbers(words.get("x", ""))) == 4 if row.image is None else row.image


def build(text):
    """The case in float32 on the CPU."""
    op, words = parse(text)
    if words.get("dtype", "f32") not in ("f32", "i64"):
        raise Unsupported(f"element type {words['dtype']} in the case: precision is an option of its own")
    if op not in OPERATORS:
        raise Unsupported(f"the collector has no operator {op}")
    w = Words(words)
    try:
        case = OPERATORS[op].build(w)
    except (KeyError, ValueError) as error:
        raise Unsupported(f"{text}: {error}") from error
    for name in words:
        if name not in w.words.used and name not in VALUES:
            raise Unsupported(f"{text}: {op} has no attribute {name}")
    return case


def activation(name):
    """Its function of a tensor, with its default attributes."""
    return build(f"{name} x=1").call
