"""PyTorch's side of compare.py: trains a network step by step and says how long each took.

    torch_step.py THREADS default|last NETWORK BATCH

A line with a number on stdin runs as many steps and prints their times in ns. "last" keeps images and
weights channels-last; its caller sets the variables that keep malloc from giving memory back.
"""
import sys
import time

import torch
from torch import nn


def cifar_cnn(depth, filters):
    layers, c, k, side = [], 3, filters, 32
    for _ in range(depth):
        layers += [nn.Conv2d(c, k, 3, padding=1), nn.ReLU(), nn.Conv2d(k, k, 3, padding=1), nn.ReLU(),
                   nn.MaxPool2d(2)]
        c, k, side = k, k * 2, side // 2
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(c * side * side, 128), nn.ReLU(),
                         nn.Linear(128, 10))


def chain(channels, side, convs, pad, dense):
    layers = []
    for k in convs:
        layers += [nn.Conv2d(channels, k, 3, padding=pad), nn.ReLU(), nn.MaxPool2d(2)]
        channels, side = k, (side + 2 * pad - 2) // 2
    layers.append(nn.Flatten())
    features = channels * side * side
    for n in dense[:-1]:
        layers += [nn.Linear(features, n), nn.ReLU()]
        features = n
    return nn.Sequential(*layers, nn.Linear(features, dense[-1]))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(256, 8, 1024, 0.0, "gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 4)
        self.fc = nn.Linear(256, 10)

    def forward(self, x):
        return self.fc(self.layers(x).mean(1))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10000, 256)
        self.lstm = nn.LSTM(256, 256, 2, batch_first=True)
        self.fc = nn.Linear(256, 10)

    def forward(self, ids):
        return self.fc(self.lstm(self.embed(ids))[0][:, -1])


def vision(name):
    import torchvision
    return getattr(torchvision.models, name)()


# network of ours: model, shape of a sample, classes
NETWORKS = {
    "cifar_cnn:depth=2,base_filters=32": (lambda: cifar_cnn(2, 32), (3, 32, 32), 10),
    "cifar_cnn:depth=3,base_filters=32": (lambda: cifar_cnn(3, 32), (3, 32, 32), 10),
    "cifar_cnn:depth=4,base_filters=64": (lambda: cifar_cnn(4, 64), (3, 32, 32), 10),
    "mnist_cnn": (lambda: chain(1, 28, [32, 32, 32], 0, [128, 10]), (1, 28, 28), 10),
    "patchcamelyon_cnn": (lambda: chain(3, 96, [256, 256, 512, 512, 1024, 1024], 1,
                                        [1028, 512, 128, 1]), (3, 96, 96), 1),
    "resnet18": (lambda: vision("resnet18"), (3, 224, 224), 1000),
    "resnet50": (lambda: vision("resnet50"), (3, 224, 224), 1000),
    "vgg16": (lambda: vision("vgg16"), (3, 224, 224), 1000),
    "mobilenet_v2": (lambda: vision("mobilenet_v2"), (3, 224, 224), 1000),
    "encoder": (Encoder, (128, 256), 10),
    "lstm": (Lstm, (64,), 10),
}


def main():
    threads, how, name, batch = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    make, shape, classes = NETWORKS[name]
    model = make().train()
    x = torch.randint(10000, (batch, *shape)) if name == "lstm" else torch.randn(batch, *shape)
    y = torch.rand(batch, 1).round() if classes == 1 else torch.randint(classes, (batch,))
    loss_of = nn.BCEWithLogitsLoss() if classes == 1 else nn.CrossEntropyLoss()
    if how == "last" and len(shape) == 3:
        model = model.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    sgd = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        sgd.zero_grad(set_to_none=True)
        loss = loss_of(model(x), y)
        loss.backward()
        sgd.step()
        return loss.item()

    step()
    print(sum(p.numel() for p in model.parameters()), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter_ns()
            step()
            times.append(time.perf_counter_ns() - start)
        print(*times, flush=True)


if __name__ == "__main__":
    main()
