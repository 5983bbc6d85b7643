#!/usr/bin/python3
"""Compare kernels of ref64 with PyTorch in float64: outputs, gradients, running statistics.

    compare.py --case PROGRAM [PATTERN]

One line per case that differs; exits 1 when any does, 77 (skipped) without PyTorch.
"""
import argparse
import fnmatch
import subprocess
import sys

SKIPPED = 77
try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError as why:
    print("skipped:", why)
    sys.exit(SKIPPED)

TOLERANCE = 1e-9
LOOSE = {"hard_sigmoid": 1e-7}  # its slope of 1/6 is a float in PyTorch
CASES = []


def case(text, fn):
    CASES.append((text, fn))


def conv2d(**how):
    return lambda x, w, b=None: F.conv2d(x, w, b, **how)


# Each function takes the inputs, then the parameters, in the order of the operator.
case("conv1d n=2 c=4 w=9 k=6 r=3 stride=2 pad=1 dil=2 groups=2",
     lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1, dilation=2, groups=2))
case("conv2d n=2 c=3 h=7 w=6 k=4 r=3 pad=1", conv2d(padding=1))
case("conv2d n=2 c=3 h=9 w=5 k=2 r=3 s=2 stride=2x1 pad=1x2 bias=0",
     conv2d(stride=(2, 1), padding=(1, 2)))
case("conv2d n=1 c=4 h=7 w=7 k=8 r=3 pad=2 dil=2 groups=4", conv2d(padding=2, dilation=2, groups=4))
case("conv2d n=2 c=3 h=6 w=7 k=4 r=4 s=3 pad=same",
     lambda x, w, b: F.conv2d(x, w, b, padding="same"))
case("conv2d_each n=2 c=4 h=5 w=4 y=2x6x2x3x2 k=6 r=3 s=2 stride=2x1 pad=1 groups=2",
     lambda x, y: F.conv2d(x.reshape(1, 8, 5, 4), y.reshape(12, 2, 3, 2), stride=(2, 1), padding=1,
                           groups=4).reshape(2, 6, 3, 5))
case("conv3d n=1 c=2 d=4 h=4 w=5 k=2 t=2 r=3 s=1 stride=1x2x1 pad=1",
     lambda x, w, b: F.conv3d(x, w, b, stride=(1, 2, 1), padding=1))
case("conv_transpose1d n=2 c=3 w=4 k=2 r=4 stride=2 pad=1",
     lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2, padding=1))
case("conv_transpose2d n=1 c=4 h=3 w=4 k=6 r=3 s=2 stride=2 pad=1 out_pad=1 groups=2 dil=2x1",
     lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1, groups=2,
                                        dilation=(2, 1)))
case("conv_transpose3d n=1 c=2 d=2 h=3 w=2 k=2 t=2 r=3 stride=2 pad=0x1x1",
     lambda x, w, b: F.conv_transpose3d(x, w, b, stride=2, padding=(0, 1, 1)))
case("linear m=5 k=7 n=6", F.linear)
case("matmul x=2x3x4x5 y=2x1x5x3", torch.matmul)
case("matmul x=2x5x4 y=2x3x5 transpose_a=1 transpose_b=1",
     lambda x, y: x.transpose(1, 2) @ y.transpose(1, 2))
case("matmul x=5 y=2x5x3", torch.matmul)

case("max_pool1d n=2 c=3 w=9 r=3 stride=2 pad=1", lambda x: F.max_pool1d(x, 3, 2, 1))
case("max_pool2d n=1 c=2 h=8 w=9 r=3 s=2 stride=2 pad=1x0 dil=2x1 ceil=1",
     lambda x: F.max_pool2d(x, (3, 2), 2, (1, 0), (2, 1), True))
case("max_pool3d n=1 c=2 d=4 h=5 w=4 t=2 r=3 s=2 stride=2 pad=1",
     lambda x: F.max_pool3d(x, (2, 3, 2), 2, 1))
case("avg_pool1d n=2 c=3 w=9 r=3 stride=2 pad=1", lambda x: F.avg_pool1d(x, 3, 2, 1))
for ceil in (0, 1):
    for count in (0, 1):
        for pad in (0, 1):
            case(f"avg_pool2d n=1 c=2 h=8 w=7 r=3 stride=2 pad={pad} ceil={ceil} "
                 f"count_include_pad={count}",
                 lambda x, pad=pad, ceil=ceil, count=count:
                 F.avg_pool2d(x, 3, 2, pad, bool(ceil), bool(count)))
case("avg_pool3d n=1 c=2 d=4 h=5 w=4 t=2 r=2 stride=1x2x1",
     lambda x: F.avg_pool3d(x, 2, (1, 2, 1)))
case("adaptive_avg_pool x=2x3x7x5 out=3x2", lambda x: F.adaptive_avg_pool2d(x, (3, 2)))
case("adaptive_avg_pool x=1x2x3x4x5 out=2x5x3", lambda x: F.adaptive_avg_pool3d(x, (2, 5, 3)))
case("adaptive_max_pool x=2x2x7x5 out=3x4", lambda x: F.adaptive_max_pool2d(x, (3, 4)))
case("global_avg_pool x=2x3x4x5", lambda x: x.mean((2, 3), keepdim=True))
case("global_max_pool x=2x3x4x5", lambda x: F.adaptive_max_pool2d(x, 1))


def batch_norm(x, *p):
    w, b = p[:2] if len(p) == 4 else (None, None)
    return F.batch_norm(x, p[-2], p[-1], w, b, training=True)


case("batch_norm x=4x3x2x3", batch_norm)
case("batch_norm x=6x4", batch_norm)
case("batch_norm x=3x2x5 affine=0", batch_norm)
case("batch_norm x=4x3x2x3 eps=0.3 momentum=0.25",
     lambda x, w, b, m, v: F.batch_norm(x, m, v, w, b, True, 0.25, 0.3))
case("instance_norm x=2x3x4x3", F.instance_norm)
case("instance_norm x=2x3x5 affine=1", lambda x, w, b: F.instance_norm(x, weight=w, bias=b))
case("group_norm x=3x6x2x3 groups=3", lambda x, w, b: F.group_norm(x, 3, w, b))
case("layer_norm x=3x2x5", lambda x, w, b: F.layer_norm(x, (5,), w, b))
case("layer_norm x=3x2x5 eps=0.3", lambda x, w, b: F.layer_norm(x, (5,), w, b, 0.3))
case("layer_norm x=3x2x5 dims=2 bias=0", lambda x, w: F.layer_norm(x, (2, 5), w))
case("rms_norm x=3x2x5", lambda x, w: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w)
case("rms_norm x=3x2x5 eps=0.3",
     lambda x, w: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 0.3) * w)
case("lrn x=2x7x3x2 size=5", lambda x: F.local_response_norm(x, 5))
case("lrn x=2x4x3 size=2", lambda x: F.local_response_norm(x, 2))

case("softmax x=3x4x2 axis=1", lambda x: F.softmax(x, 1))
case("log_softmax x=3x7", lambda x: F.log_softmax(x, -1))
case("cross_entropy n=4 c=5", lambda x: F.cross_entropy(x, torch.zeros(4, dtype=torch.long)))
case("bce x=3x4", lambda x: F.binary_cross_entropy_with_logits(x, torch.zeros_like(x)))
case("mse x=3x4", lambda x: F.mse_loss(x, torch.zeros_like(x)))
case("mae x=3x4", lambda x: F.l1_loss(x, torch.zeros_like(x)))


def recurrent(kind, layers, bidir, bias):
    def run(x, *params):
        state = x.new_zeros(layers * (1 + bidir), x.shape[0], params[1].shape[1])
        state = (state, state) if kind is torch.lstm else state
        return kind(x, state, list(params), bias, layers, 0.0, True, bool(bidir), True)[0]
    return run


for name, kind in (("lstm", torch.lstm), ("gru", torch.gru), ("rnn", torch.rnn_tanh)):
    case(f"{name} n=2 t=4 c=3 hidden=5", recurrent(kind, 1, 0, True))
    case(f"{name} n=3 t=3 c=2 hidden=3 layers=3 bidir=1", recurrent(kind, 3, 1, True))
    case(f"{name} n=3 t=5 c=2 hidden=3 layers=2 bias=0", recurrent(kind, 2, 0, False))


def attend(heads, causal):
    def run(x, *params):
        bias = len(params) == 4
        net = nn.MultiheadAttention(x.shape[2], heads, bias=bias, batch_first=True).double()
        names = (["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"] if bias
                 else ["in_proj_weight", "out_proj.weight"])
        mask = (torch.full((x.shape[1],) * 2, float("-inf"), dtype=x.dtype).triu(1) if causal
                else None)
        return torch.nn.utils.stateless.functional_call(
            net, dict(zip(names, params)), (x, x, x), {"need_weights": False, "attn_mask": mask})[0]
    return run


case("multi_head_attention n=2 t=4 c=6 heads=2", attend(2, False))
case("multi_head_attention n=2 t=5 c=8 heads=4 bias=0 causal=1", attend(4, True))
case("attention b=3 t=4 u=5 d=3 e=2",
     lambda q, k, v: torch.softmax(q @ k.transpose(1, 2) / 3 ** 0.5, -1) @ v)
case("embedding x=3x4 num=7 dim=5", lambda x, w: F.embedding(x.long(), w))
case("gather x=4x5x2 y=7 axis=1", lambda x, y: x.index_select(1, y.long()))
case("gather_elements x=4x5 y=4x3 axis=1", lambda x, y: x.gather(1, y.long()))
case("one_hot x=3x4 depth=5", lambda x: F.one_hot(x.long(), 5).double())
case("topk x=3x7 k=3", lambda x: tuple(x.topk(3)))
case("topk x=3x7 k=0", lambda x: tuple(x.sort(descending=True)))
case("cumsum x=3x4x2 axis=1", lambda x: x.cumsum(1))
case("argmax x=3x5x2 axis=1", lambda x: x.argmax(1, keepdim=True))

case("resize x=2x2x5x4 size=3x7", lambda x: F.interpolate(x, (3, 7)))
case("resize x=1x2x3x4 scale=2x3 mode=linear",
     lambda x: F.interpolate(x, scale_factor=(2, 3), mode="bilinear"))
case("resize x=1x2x5x7 size=3x4 mode=linear", lambda x: F.interpolate(x, (3, 4), mode="bilinear"))
case("resize x=1x2x5 size=8 mode=linear", lambda x: F.interpolate(x, 8, mode="linear"))
case("resize x=1x1x2x3x2 scale=2 mode=linear",
     lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"))
case("resize x=1x2x4x5 size=6x3 mode=cubic", lambda x: F.interpolate(x, (6, 3), mode="bicubic"))
case("depth_to_space x=2x12x2x3", lambda x: F.pixel_shuffle(x, 2))
case("space_to_depth x=2x3x4x6", lambda x: F.pixel_unshuffle(x, 2))
case("channel_shuffle x=2x6x3x2 groups=3",
     lambda x: x.view(2, 3, 2, 3, 2).transpose(1, 2).reshape(2, 6, 3, 2))
case("pad x=2x3x4 pads=0x1x2x1x0x1", lambda x: F.pad(x, (2, 1, 1, 0, 0, 1)))
case("pad x=1x2x4x5 pads=0x0x2x1x0x0x1x3 mode=reflect",
     lambda x: F.pad(x, (1, 3, 2, 1), mode="reflect"))
case("pad x=1x2x3x2 pads=0x0x2x1x0x0x4x3 mode=edge",
     lambda x: F.pad(x, (1, 3, 2, 4), mode="replicate"))
case("roll x=2x5x4x3 shifts=-2x3 axes=1x2", lambda x: x.roll((-2, 3), (1, 2)))
case("tile x=2x3x2 repeats=2x1x3", lambda x: x.repeat(2, 1, 3))
case("expand x=1x3x1 shape=4x2x-1x5", lambda x: x.expand(4, 2, 3, 5))
case("transpose x=2x3x4 perm=2x0x1", lambda x: x.permute(2, 0, 1))
case("slice x=4x6x5 axes=1 starts=1 ends=5 steps=2", lambda x: x[:, 1:5:2])
case("slice x=4x6x5 axes=0x2 starts=-1x4 ends=-9x-4 steps=-1x-2",
     lambda x: x.flip(0)[:, :, [4, 2]])
case("split x=2x7x3 axis=1 sizes=2x4x1", lambda x: x.split([2, 4, 1], 1))
case("concat x=2x3x2 y=2x1x2 z=2x2x2", lambda *xs: torch.cat(xs, 1))

for name, fn in {
        "abs": torch.abs, "ceil": torch.ceil, "cos": torch.cos, "elu": F.elu, "erf": torch.erf,
        "exp": torch.exp, "floor": torch.floor, "gelu": F.gelu, "hard_sigmoid": F.hardsigmoid,
        "hard_swish": F.hardswish, "log": torch.log, "mish": F.mish, "neg": torch.neg,
        "reciprocal": torch.reciprocal, "relu": F.relu, "relu6": F.relu6, "round": torch.round,
        "rsqrt": torch.rsqrt, "selu": F.selu, "sigmoid": torch.sigmoid, "sign": torch.sign,
        "silu": F.silu, "sin": torch.sin, "softplus": F.softplus, "softsign": F.softsign,
        "sqrt": torch.sqrt, "tanh": torch.tanh}.items():
    case(f"{name} x=5x8", fn)
case("gelu x=5x8 approx=tanh", lambda x: F.gelu(x, approximate="tanh"))
case("leaky_relu x=4x5 alpha=0.2", lambda x: F.leaky_relu(x, 0.2))
case("clip x=3x7 lo=-0.7 hi=1.1", lambda x: x.clamp(-0.7, 1.1))
case("pow_scalar x=3x4 p=3", lambda x: x ** 3)
case("prelu x=3x4x5 params=4", F.prelu)
for name, fn in {"add": torch.add, "div": torch.div, "max": torch.maximum, "min": torch.minimum,
                 "mod": torch.remainder, "mul": torch.mul, "pow": torch.pow,
                 "sub": torch.sub}.items():
    case(f"{name} x=2x3x4 y=3x1", fn)
    case(f"{name} x=1x3x1 y=2x1x4", fn)
case("where x=3x4 y=2x1x4 z=3x1", lambda c, x, y: torch.where(c != 0, x, y))
for name, fn in {"reduce_sum": torch.sum, "reduce_mean": torch.mean, "reduce_max": torch.amax,
                 "reduce_min": torch.amin, "reduce_l2": torch.linalg.vector_norm}.items():
    case(f"{name} x=3x4x5 axes=0x2 keepdims=0", lambda x, fn=fn: fn(x, dim=(0, 2)))
case("reduce_prod x=3x4x5 axes=1", lambda x: x.prod(1, keepdim=True))

POSITIVE = {"log": (0,), "sqrt": (0,), "rsqrt": (0,), "pow": (0, 1)}


class Tensor:
    def __init__(self, line):
        words = line.split()
        self.kind, self.role, self.type = words[:3]
        self.shape = [int(w) for w in words[3:]]

    def has_gradient(self):
        return not self.kind.endswith("-fixed")


def draw(tensors, text):
    """Inputs and parameters; indices within three, which every case allows."""
    op, made = text.split()[0], []
    for i, t in enumerate(tensors):
        v = torch.randn(t.shape, dtype=torch.float64)
        if t.role == "index":
            v = torch.randint(0, 3, t.shape).double()
        if i in POSITIVE.get(op, ()) or t.role == "running_var":
            v = v.abs() + 0.1
        if t.type == "int":
            v = v.long()
        made.append(v.requires_grad_(t.has_gradient()))
    return made


def flat(v):
    return v.detach().contiguous().numpy().tobytes()


def run_ours(program, text, values, weights):
    done = subprocess.run([program, "run", text], input=b"".join(map(flat, values + weights)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip())
    return done.stdout


def take(data, like):
    n = like.numel() * 8
    kind = torch.float64 if like.is_floating_point() else torch.int64
    part = torch.frombuffer(bytearray(data[:n]), dtype=kind) if n else torch.zeros(0, dtype=kind)
    return part.reshape(like.shape), data[n:]


def differences(program, text, fn):
    lines = subprocess.run([program, "describe", text], stdout=subprocess.PIPE, check=True).stdout
    tensors = [Tensor(line) for line in lines.decode().splitlines()]
    given = [t for t in tensors if not t.kind.startswith("out")]
    outs = [t for t in tensors if t.kind.startswith("out")]
    values = draw(given, text)
    weights = [torch.randn(t.shape, dtype=torch.float64) for t in outs if t.has_gradient()]
    data = run_ours(program, text, values, weights)
    tolerance = LOOSE.get(text.split()[0], TOLERANCE)
    results = fn(*values)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    wanted = [v for v in values if v.requires_grad]
    total = sum((r * w).sum() for r, w in zip((r for r in results if r.is_floating_point()), weights))
    grads = (torch.autograd.grad(total, wanted, allow_unused=True)
             if wanted and getattr(total, "requires_grad", False) else [])
    params = [v for v, t in zip(values, given) if t.kind.startswith("param")]
    for what, expected in ([("output", r) for r in results] +
                           [("gradient", torch.zeros_like(w) if g is None else g)
                            for g, w in zip(grads, wanted)] + [("parameter after", p) for p in params]):
        got, data = take(data, expected.detach())
        got, expected = got.double(), expected.detach().double()
        if not torch.allclose(got, expected, rtol=tolerance, atol=tolerance):
            yield f"{what} differs by {(got - expected).abs().max().item():.3g}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", required=True)
    parser.add_argument("pattern", nargs="?", default="*")
    args = parser.parse_args()
    torch.manual_seed(11)
    bad = 0
    for text, fn in CASES:
        if not fnmatch.fnmatch(text, args.pattern):
            continue
        try:
            found = list(differences(args.case, text, fn))
        except (RuntimeError, subprocess.CalledProcessError) as why:
            found = [str(why).splitlines()[0]]
        print(f"FAILED {text}: {'; '.join(found)}" if found else f"ok {text}")
        bad += bool(found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
