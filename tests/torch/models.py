"""Networks as people write them, to be recorded: name -> (module, example inputs, loss)."""
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

HAS_ATTENTION = hasattr(F, "scaled_dot_product_attention")


def attend(q, k, v, causal):
    if HAS_ATTENTION:
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        t = q.shape[-2]
        scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), float("-inf"))
    return scores.softmax(-1) @ v


class GptBlock(nn.Module):
    def __init__(self, dim, heads, drop):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        n, t, dim = x.shape
        q, k, v = (part.view(n, t, self.heads, dim // self.heads).transpose(1, 2)
                   for part in self.qkv(self.ln1(x)).split(dim, -1))
        y = attend(q, k, v, True).transpose(1, 2).contiguous().view(n, t, dim)
        x = x + self.drop(self.proj(y))
        return x + self.drop(self.down(F.gelu(self.up(self.ln2(x)))))


class Gpt(nn.Module):
    """GPT-2 with tied embeddings."""

    def __init__(self, dim=256, layers=4, heads=4, vocab=5000, context=128, drop=0.1, again=None):
        super().__init__()
        self.words, self.places = nn.Embedding(vocab, dim), nn.Embedding(context, dim)
        self.drop = nn.Dropout(drop)
        self.blocks = nn.ModuleList(GptBlock(dim, heads, drop) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.words.weight
        self.again = again

    def forward(self, ids):
        x = self.drop(self.words(ids) + self.places(torch.arange(ids.shape[1])))
        for block in self.blocks:
            x = block(x) if self.again is None else checkpoint(block, x, use_reentrant=self.again)
        return self.head(self.norm(x))


class RmsNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class LlamaBlock(nn.Module):
    """Rotary positions, fewer heads of keys, a gated MLP."""

    def __init__(self, dim=256, heads=8, kv_heads=2, hidden=688):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, dim // heads
        self.q, self.o = nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, kv_heads * self.size, bias=False)
        self.v = nn.Linear(dim, kv_heads * self.size, bias=False)
        self.gate, self.up = nn.Linear(dim, hidden, bias=False), nn.Linear(dim, hidden, bias=False)
        self.down = nn.Linear(hidden, dim, bias=False)
        self.norm1, self.norm2 = RmsNorm(dim), RmsNorm(dim)

    def rotate(self, x, cos, sin):
        half = x.shape[-1] // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin

    def forward(self, x):
        n, t, dim = x.shape
        angle = torch.outer(torch.arange(t).float(), 1e4 ** (-torch.arange(0, self.size, 2) / self.size))
        cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
        h = self.norm1(x)
        q = self.q(h).view(n, t, self.heads, self.size).transpose(1, 2)
        k = self.k(h).view(n, t, self.kv_heads, self.size).transpose(1, 2)
        v = self.v(h).view(n, t, self.kv_heads, self.size).transpose(1, 2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        k, v = (part.repeat_interleave(self.heads // self.kv_heads, 1) for part in (k, v))
        x = x + self.o(attend(q, k, v, True).transpose(1, 2).reshape(n, t, dim))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Tagger(nn.Module):
    def __init__(self, both=True):
        super().__init__()
        self.words = nn.Embedding(1000, 64)
        self.layers = nn.LSTM(64, 128, 2, batch_first=True, bidirectional=both, dropout=0.2)
        self.out = nn.Linear(256 if both else 128, 20)

    def forward(self, ids):
        return self.out(self.layers(self.words(ids))[0])


def twice(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
                         nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class Unet(nn.Module):
    def __init__(self, width=32, classes=2):
        super().__init__()
        widths = [width << level for level in range(4)]
        self.down = nn.ModuleList(twice(a, b) for a, b in zip([3] + widths, widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * b, b, 2, 2) for b in widths[:-1])
        self.join = nn.ModuleList(twice(2 * b, b) for b in widths[:-1])
        self.out = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        kept = []
        for level, block in enumerate(self.down):
            x = block(F.max_pool2d(x, 2) if level else x)
            kept.append(x)
        for level in (2, 1, 0):
            x = self.join[level](torch.cat((kept[level], self.up[level](x)), 1))
        return self.out(x)


class Residual(nn.Module):
    def __init__(self, a, b, time):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(8, a), nn.Conv2d(a, b, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(8, b), nn.Conv2d(b, b, 3, padding=1)
        self.time, self.skip = nn.Linear(time, b), nn.Conv2d(a, b, 1) if a != b else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(t))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class SpatialAttention(nn.Module):
    def __init__(self, width, heads=4):
        super().__init__()
        self.heads, self.norm = heads, nn.GroupNorm(8, width)
        self.qkv, self.out = nn.Conv2d(width, 3 * width, 1), nn.Conv2d(width, width, 1)

    def forward(self, x):
        n, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).view(n, 3, self.heads, c // self.heads, h * w).transpose(-1, -2).unbind(1)
        return x + self.out(attend(q, k, v, False).transpose(-1, -2).reshape(n, c, h, w))


class DiffusionUnet(nn.Module):
    """Predicts the noise in an image of a step of the noise's schedule."""

    def __init__(self, width=32):
        super().__init__()
        self.width, time = width, 4 * width
        self.time = nn.Sequential(nn.Linear(width, time), nn.SiLU(), nn.Linear(time, time))
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.down1, self.down2 = Residual(width, width, time), Residual(width, 2 * width, time)
        self.shrink = nn.Conv2d(width, width, 3, 2, 1)
        self.mid, self.attention = Residual(2 * width, 2 * width, time), SpatialAttention(2 * width)
        self.up = Residual(3 * width, width, time)
        self.norm, self.last = nn.GroupNorm(8, width), nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x, step):
        rates = torch.exp(-math.log(1e4) * torch.arange(self.width // 2) / (self.width // 2))
        angle = step[:, None].float() * rates[None]
        t = self.time(torch.cat((angle.cos(), angle.sin()), -1))
        h1 = self.down1(self.first(x), t)
        h2 = self.attention(self.mid(self.down2(self.shrink(h1), t), t))
        h = self.up(torch.cat((F.interpolate(h2, scale_factor=2, mode="nearest"), h1), 1), t)
        return self.last(F.silu(self.norm(h)))


class Experts(nn.Module):
    """A mixture of experts with capacity: shapes follow from the batch alone."""

    def __init__(self, dim=128, experts=8, top=2, hidden=512):
        super().__init__()
        self.router, self.top, self.experts = nn.Linear(dim, experts, bias=False), top, experts
        self.up = nn.Parameter(torch.randn(experts, dim, hidden) / 16)
        self.down = nn.Parameter(torch.randn(experts, hidden, dim) / 16)

    def forward(self, x):
        n, t, dim = x.shape
        tokens = x.reshape(n * t, dim)
        weight, chosen = self.router(tokens).softmax(-1).topk(self.top, -1)
        order = chosen.flatten().argsort()
        capacity = n * t * self.top // self.experts
        taken = order[:capacity * self.experts]
        rows = tokens[taken // self.top].view(self.experts, capacity, dim)
        made = torch.bmm(F.gelu(torch.bmm(rows, self.up)), self.down).view(-1, dim)
        made = made * weight.flatten()[taken][:, None]
        return x + torch.zeros_like(tokens).index_add(0, taken // self.top, made).view(n, t, dim)


class SparseExperts(nn.Module):
    """Each expert takes the tokens that chose it: shapes follow from the data."""

    def __init__(self, dim=64, experts=4):
        super().__init__()
        self.router = nn.Linear(dim, experts)
        self.parts = nn.ModuleList(nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
                                   for _ in range(experts))

    def forward(self, x):
        weight, chosen = self.router(x).softmax(-1).max(-1)
        out = torch.zeros_like(x)
        for at, part in enumerate(self.parts):
            rows = (chosen == at).nonzero().squeeze(1)
            out = out.index_add(0, rows, part(x[rows]) * weight[rows, None])
        return out


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 3 * x * x * grad


class Frozen(nn.Module):
    """A fixed body, whose norms have fixed statistics, and a head that is trained."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(16 * 16 * 16, 10))
        for parameter in self.body.parameters():
            parameter.requires_grad_(False)
        self.body.eval()

    def forward(self, x):
        return self.head(self.body(x))


class Custom(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(32, 64), nn.Linear(64, 10)

    def forward(self, x):
        return self.b(Cube.apply(self.a(x)))


def tokens_loss(ids):
    def loss(y):
        return F.cross_entropy(y.reshape(-1, y.shape[-1]), ids.reshape(-1))
    return loss


def ids(n, t, vocab=1000):
    return torch.randint(vocab, (n, t))


MODELS = {
    "gpt": lambda: (Gpt(), ids(4, 128), None),
    "gpt_again": lambda: (Gpt(again=True, drop=0.0), ids(4, 128), None),
    "gpt_again_hooks": lambda: (Gpt(again=False), ids(4, 128), None),
    "llama": lambda: (LlamaBlock(), torch.randn(4, 64, 256), None),
    "lstm": lambda: (Tagger(), ids(8, 50), None),
    "lstm_one_way": lambda: (Tagger(False), ids(8, 50), None),
    "unet": lambda: (Unet(), torch.randn(4, 3, 64, 64), None),
    "diffusion": lambda: (DiffusionUnet(), (torch.randn(4, 3, 32, 32), torch.randint(1000, (4,))), None),
    "experts": lambda: (Experts(), torch.randn(4, 64, 128), None),
    "sparse_experts": lambda: (SparseExperts(256), torch.randn(96, 256), None),
    "custom": lambda: (Custom(), torch.randn(16, 32), None),
    "encoder": lambda: (nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2),
                        torch.randn(4, 20, 64), None),
}

# What "recorded" holds of some.
EXPECT = {
    "gpt_again": {"runs_again": ["blocks.3", "blocks.2", "blocks.1", "blocks.0"]},
    "gpt_again_hooks": {"runs_again": ["blocks.3", "blocks.2", "blocks.1", "blocks.0"]},
    "sparse_experts": {"values": "real"},
    "custom": {"unknown": {"Cube": 1}},
}
# Regions that run again keep less than the network by itself; real tensors are kept in pieces; constants that a step
# makes (the cosines of positions, the targets of a focal loss) are kept by autograd and free here.
KEEPS_OTHERWISE = ("gpt_again", "gpt_again_hooks", "sparse_experts", "llama", "retinanet_resnet50_fpn",
                   "retinanet_resnet50_fpn_v2")
