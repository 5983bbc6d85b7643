"""Networks in PyTorch by the names of the zoo: those of torchvision and timm where they are installed, and our own."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from .data import Shape


class Net:
    """A module, one batch for it, and its loss; the shape of its images, where it takes images."""

    def __init__(self, module, make_batch, loss, shape=None):
        self.module, self.make_batch, self.loss, self.shape = module, make_batch, loss, shape


def image_net(module, channels, image, classes):
    def batch(n):
        return torch.randn(n, channels, image, image), torch.randint(max(classes, 2), [n])

    def loss(y, target):
        if isinstance(y, tuple):  # with auxiliary classifiers
            return sum(F.cross_entropy(part, target) for part in y)
        if classes == 1:
            return F.binary_cross_entropy_with_logits(y.flatten(), target.to(y.dtype))
        return F.cross_entropy(y, target)
    return Net(module, batch, loss, Shape(channels, image, classes))


def token_net(module, vocab, seq_len, two_inputs=False):
    def batch(n):
        ids = torch.randint(vocab, [n, seq_len])
        return (ids, torch.randint(vocab, [n, seq_len])) if two_inputs else (ids, torch.randint(vocab, [n * seq_len]))

    def loss(y, target):
        return F.cross_entropy(y.reshape(-1, y.shape[-1]), target.flatten())
    return Net(module, batch, loss)


# ----------------------------------------------------------------------------------------------
# Chains of convolutions

def chain(channels, image, convs, padding, dense, classes):
    layers, side = [], image
    for filters in convs:
        layers += [nn.Conv2d(channels, filters, 3, padding=padding), nn.ReLU(), nn.MaxPool2d(2)]
        channels, side = filters, (side - 2 + 2 * padding) // 2
    layers.append(nn.Flatten())
    features = channels * side * side
    for width in dense:
        layers += [nn.Linear(features, width), nn.ReLU()]
        features = width
    return nn.Sequential(*layers, nn.Linear(features, classes))


def mnist_cnn(p):
    return image_net(chain(1, p.image, [32, 32, 32], 0, [128], 10), 1, p.image, 10)


def cifar10_cnn(p):
    return image_net(chain(3, p.image, [64, 64, 32], 0, [512, 256, 128], 10), 3, p.image, 10)


def patchcamelyon_cnn(p):
    return image_net(chain(3, p.image, [256, 256, 512, 512, 1024, 1024], 1, [1028, 512, 128], 1), 3, p.image, 1)


def cifar_cnn(p):
    depth, filters, channels, image = p.int("depth", 3), p.int("base_filters", 32), 3, p.image
    layers, side = [], image
    for _ in range(depth):
        layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU(),
                   nn.Conv2d(filters, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        channels, side = filters, side // 2
        filters *= 2 if p.int("double", 1) else 1
    dense = p.int("dense", 128)
    layers += [nn.Flatten(), nn.Linear(channels * side * side, dense), nn.ReLU(), nn.Linear(dense, 10)]
    return image_net(nn.Sequential(*layers), 3, image, 10)


def mlp(p):
    widths = [p.int("in", 784)] + p.ints("hidden", "512x512")
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    module = nn.Sequential(*layers, nn.Linear(widths[-1], 10))
    return Net(module, lambda n: (torch.randn(n, widths[0]), torch.randint(10, [n])), F.cross_entropy)


# ----------------------------------------------------------------------------------------------
# Transformers and recurrent networks

class Attention(nn.Module):
    """Query, key and value by layers of their own, product by product."""

    def __init__(self, hidden, heads, dropout, fused=False):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Linear(hidden, 3 * hidden) if fused else None
        self.parts = None if fused else nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(3))
        self.out = nn.Linear(hidden, hidden)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, memory=None, causal=False):
        memory = x if memory is None else memory
        if self.qkv is not None:
            q, k, v = self.qkv(x).chunk(3, dim=-1)
        else:
            q, k, v = self.parts[0](x), self.parts[1](memory), self.parts[2](memory)
        q, k, v = self.split(q), self.split(k), self.split(v)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        if causal:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(mask, -1e4)
        y = torch.matmul(F.dropout(torch.softmax(scores, -1), self.dropout, self.training), v)
        y = y.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return F.dropout(self.out(y), self.dropout, self.training)


def feed_forward(hidden, ffn, act, dropout):
    return nn.Sequential(nn.Linear(hidden, ffn), act, nn.Linear(ffn, hidden), nn.Dropout(dropout))


class BertLayer(nn.Module):
    def __init__(self, hidden, heads, ffn, dropout):
        super().__init__()
        self.attention, self.norm1 = Attention(hidden, heads, dropout), nn.LayerNorm(hidden)
        self.ffn, self.norm2 = feed_forward(hidden, ffn, nn.GELU(), dropout), nn.LayerNorm(hidden)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.ffn(x))


class Bert(nn.Module):
    """Encoder with the head for masked words, tied to the embedding."""

    def __init__(self, layers, hidden, heads, ffn, vocab, positions, types, dropout):
        super().__init__()
        self.words, self.positions = nn.Embedding(vocab, hidden), nn.Embedding(positions, hidden)
        self.types, self.norm, self.dropout = nn.Embedding(types, hidden), nn.LayerNorm(hidden), nn.Dropout(dropout)
        self.layers = nn.Sequential(*(BertLayer(hidden, heads, ffn, dropout) for _ in range(layers)))
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU(), nn.LayerNorm(hidden))
        self.bias = nn.Parameter(torch.zeros(vocab))

    def forward(self, ids):
        at = torch.arange(ids.shape[1], device=ids.device)[None]
        x = self.words(ids) + self.types(torch.zeros_like(at)) + self.positions(at)
        x = self.head(self.layers(self.dropout(self.norm(x))))
        return F.linear(x, self.words.weight, self.bias)


def bert(layers, hidden, heads, ffn):
    def build(p):
        vocab, seq_len = p.int("vocab", 30522), p.seq_len
        module = Bert(p.int("layers", layers), p.int("hidden", hidden), p.int("heads", heads), p.int("ffn", ffn), vocab,
                      p.int("positions", 512), 2, 0.1)
        return token_net(module, vocab, seq_len)
    return build


class GptLayer(nn.Module):
    def __init__(self, hidden, heads, dropout):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(hidden), Attention(hidden, heads, dropout, fused=True)
        self.norm2 = nn.LayerNorm(hidden)
        self.ffn = feed_forward(hidden, 4 * hidden, nn.GELU(), dropout)

    def forward(self, x):
        x = x + self.attention(self.norm1(x), causal=True)
        return x + self.ffn(self.norm2(x))


class Gpt(nn.Module):
    def __init__(self, layers, hidden, heads, vocab, positions, dropout):
        super().__init__()
        self.words, self.positions = nn.Embedding(vocab, hidden), nn.Embedding(positions, hidden)
        self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(hidden)
        self.layers = nn.Sequential(*(GptLayer(hidden, heads, dropout) for _ in range(layers)))

    def forward(self, ids):
        at = torch.arange(ids.shape[1], device=ids.device)[None]
        x = self.layers(self.dropout(self.words(ids) + self.positions(at)))
        return F.linear(self.norm(x), self.words.weight)


def gpt2(p):
    vocab = p.int("vocab", 50257)
    module = Gpt(p.int("layers", 12), p.int("hidden", 768), p.int("heads", 12), vocab, p.int("positions", 1024), 0.1)
    return token_net(module, vocab, p.seq_len)


class Seq2SeqLayer(nn.Module):
    def __init__(self, hidden, heads, ffn, dropout, decoder):
        super().__init__()
        self.attention, self.norm1 = Attention(hidden, heads, dropout), nn.LayerNorm(hidden)
        self.cross = Attention(hidden, heads, dropout) if decoder else None
        self.norm2 = nn.LayerNorm(hidden) if decoder else None
        self.ffn, self.norm3 = feed_forward(hidden, ffn, nn.ReLU(), dropout), nn.LayerNorm(hidden)

    def forward(self, x, memory=None):
        x = self.norm1(x + self.attention(x, causal=self.cross is not None))
        if self.cross is not None:
            x = self.norm2(x + self.cross(x, memory))
        return self.norm3(x + self.ffn(x))


class Transformer(nn.Module):
    """The first transformer: both sides and the output share one embedding; the source is its own target."""

    def __init__(self, layers, hidden, heads, ffn, vocab, seq_len, dropout):
        super().__init__()
        self.words, self.scale, self.dropout = nn.Embedding(vocab, hidden), math.sqrt(hidden), nn.Dropout(dropout)
        self.register_buffer("positions", torch.rand(1, seq_len, hidden))
        self.encoder = nn.ModuleList(Seq2SeqLayer(hidden, heads, ffn, dropout, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Seq2SeqLayer(hidden, heads, ffn, dropout, True) for _ in range(layers))

    def embed(self, ids):
        return self.dropout(self.words(ids) * self.scale + self.positions)

    def forward(self, ids):
        memory, y = self.embed(ids), self.embed(ids)
        for layer in self.encoder:
            memory = layer(memory)
        for layer in self.decoder:
            y = layer(y, memory)
        return F.linear(y, self.words.weight)


def transformer_base(p):
    vocab, seq_len = p.int("vocab", 37000), p.seq_len
    module = Transformer(p.int("layers", 6), p.int("hidden", 512), p.int("heads", 8), p.int("ffn", 2048), vocab,
                         seq_len, 0.1)
    return token_net(module, vocab, seq_len)


class Recurrent(nn.Module):
    def __init__(self, kind, vocab, embed, hidden, layers, dropout):
        super().__init__()
        self.encoder, self.dropout = nn.Embedding(vocab, embed), nn.Dropout(dropout)
        self.rnn = kind(embed, hidden, layers, batch_first=True)
        self.decoder = nn.Linear(hidden, vocab)

    def forward(self, ids):
        return self.decoder(self.dropout(self.rnn(self.dropout(self.encoder(ids)))[0]))


def rnn_lm(kind):
    def build(p):
        vocab = p.int("vocab", 33278)
        module = Recurrent(kind, vocab, p.int("embed", 200), p.int("hidden", 200), p.int("layers", 2), 0.2)
        return token_net(module, vocab, p.seq_len)
    return build


class Own:
    """How a network is built, and the side of its images or its number of tokens unless told."""

    def __init__(self, build_net, image=0, seq_len=0):
        self.build, self.image, self.seq_len = build_net, image, seq_len


OWN = {
    "mnist_cnn": Own(mnist_cnn, image=28), "cifar10_cnn": Own(cifar10_cnn, image=32),
    "patchcamelyon_cnn": Own(patchcamelyon_cnn, image=96), "cifar_cnn": Own(cifar_cnn, image=32), "mlp": Own(mlp),
    "bert_tiny": Own(bert(2, 128, 2, 512), seq_len=512), "bert_base": Own(bert(12, 768, 12, 3072), seq_len=512),
    "bert_large": Own(bert(24, 1024, 16, 4096), seq_len=512), "gpt2": Own(gpt2, seq_len=1024),
    "transformer_base": Own(transformer_base, seq_len=64), "lstm_lm": Own(rnn_lm(nn.LSTM), seq_len=35),
    "gru_lm": Own(rnn_lm(nn.GRU), seq_len=35), "rnn_lm": Own(rnn_lm(nn.RNN), seq_len=35),
}


class Parameters:
    """What stands behind the name of a network, and the sizes of the job."""

    def __init__(self, spec, image, seq_len):
        self.name, _, text = spec.partition(":")
        self.values = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
        self.image, self.seq_len = image, seq_len
        self.used = set()

    def text(self, name, default):
        self.used.add(name)
        return self.values.get(name, default)

    def int(self, name, default):
        return int(self.text(name, default))

    def ints(self, name, default):
        return [int(v) for v in self.text(name, default).split("x")]


# Sides of images that networks were made for, where it is not 224: as epochcast has them.
SIDES = {"inception_v3": 299, "efficientnet_b1": 240, "efficientnet_b2": 288, "efficientnet_b3": 300,
         "efficientnet_b4": 380, "efficientnet_b5": 456, "efficientnet_b6": 528, "efficientnet_b7": 600,
         "efficientnet_v2_s": 384, "efficientnet_v2_m": 480, "efficientnet_v2_l": 480, "swin_v2_t": 256, "swin_v2_s": 256,
         "swin_v2_b": 256}


def torchvision_net(p):
    try:
        from torchvision import models
    except ImportError:
        models = None
    make = getattr(models, p.name, None)
    if models and not p.name.startswith("_") and callable(make) and not isinstance(make, type):
        options = {"init_weights": False} if p.name in ("inception_v3", "googlenet") else {}
        if p.name.startswith("vit_"):
            options["image_size"] = p.image
        return image_net(make(weights=None, **options), 3, p.image, 1000)
    timm = timm_with(p.name)
    if timm:
        return image_net(timm.create_model(p.name, num_classes=1000), 3, p.image, 1000)
    if not models:
        raise LookupError(f"network {p.name}: torchvision is not installed")
    raise LookupError(f"network {p.name}: neither this collector nor torchvision or timm has it")


def timm_with(name):
    """The package timm, where it is installed and has the network."""
    try:
        import timm
    except ImportError:
        return None
    return timm if timm.is_model(name) else None


def side_of(name):
    """Side of the images that a network was made for."""
    if name in SIDES:
        return SIDES[name]
    try:
        from torchvision import models
        known = hasattr(models, name)
    except ImportError:
        known = False
    timm = None if known else timm_with(name)
    made_for = timm.models.get_pretrained_cfg(name) if timm else None
    return made_for.input_size[-1] if made_for else 224


def sizes(spec, size=0):
    """(side of its images, tokens) of a network, of which one is 0; its own, where size is 0."""
    name = spec.split(":")[0]
    own = OWN.get(name) or Own(torchvision_net, image=side_of(name))
    return own.image and (size or own.image), own.seq_len and (size or own.seq_len)


def build(spec, size=0):
    """Errors: LookupError with a sentence."""
    p = Parameters(spec, *sizes(spec, size))
    net = OWN[p.name].build(p) if p.name in OWN else torchvision_net(p)
    for name in p.values:
        if name not in p.used:
            raise LookupError(f"network {p.name} has no parameter {name}")
    return net


def is_language(spec):
    return sizes(spec)[1] > 0
