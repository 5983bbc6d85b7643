"""Images to train on, from files or made up: CIFAR-10 and folders of JPEG files."""
import math
import os
import pickle
import random
import time

import torch
from torch import nn

CIFAR_PX, CIFAR_CLASSES, TEST_SHARE = 32, 10, 0.2
CIFAR_BYTES = 3 * CIFAR_PX * CIFAR_PX
POOL = 256  # made-up images that a network is trained on; more would need memory, and change no time
JPEG = (".jpg", ".jpeg")
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, which people normalise folders by
AREA, ASPECT = (0.08, 1.0), (3 / 4, 4 / 3)  # of the box that is cut out of a training image


class DataError(Exception):
    """Images that cannot be read or do not fit; the text is a sentence for the user."""


class Shape:
    """Of a network's images; 1 class: one output, for two classes."""

    def __init__(self, channels, px, classes):
        self.channels, self.px, self.classes = channels, px, classes

    def fitted(self, x):
        """Images in the channels and the side of the network."""
        if x.shape[1] != self.channels:
            x = x.mean(1, keepdim=True).expand(-1, self.channels, -1, -1)
        if x.shape[2] != self.px:
            x = nn.functional.interpolate(x, size=self.px, mode="bilinear", align_corners=False)
        return x.contiguous()

    def check(self, n_classes, source):
        if n_classes > max(self.classes, 2):
            raise DataError(f"{source} has {n_classes} classes, the network has {max(self.classes, 2)}")


# ----------------------------------------------------------------------------------------------
# Images in memory

class Memory:
    """Training and test images with their classes."""

    def __init__(self, x, y, test_x=None, test_y=None):
        self.x, self.y, self.test_x, self.test_y = x, y, test_x, test_y

    def __len__(self):
        return len(self.y)

    def epoch(self, batch):
        """Batches in a new order; the last, smaller one is left out."""
        for index in torch.randperm(len(self.y)).split(batch):
            if len(index) == batch:
                yield self.x[index], self.y[index]

    def test(self):
        yield from zip(self.test_x.split(256), self.test_y.split(256))


def synthetic(n, seed):
    """Of the size of CIFAR-10's; each class has a smooth pattern of its own under noise, so that there is something to
    learn. Smooth: of patterns that differ from pixel to pixel, like noise, the third pooling leaves nothing to tell
    classes apart by."""
    draw = torch.Generator().manual_seed(seed)
    corners = torch.randn(CIFAR_CLASSES, 3, 8, 8, generator=draw)
    patterns = nn.functional.interpolate(corners, size=CIFAR_PX, mode="bilinear", align_corners=True)
    patterns *= 0.5 / patterns.std((1, 2, 3), keepdim=True)

    def some(count):
        y = torch.randint(CIFAR_CLASSES, [count], generator=draw)
        return patterns[y] + torch.randn(count, 3, CIFAR_PX, CIFAR_PX, generator=draw), y
    return Memory(*some(n), *some(max(1, int(TEST_SHARE * n))))


# ----------------------------------------------------------------------------------------------
# CIFAR-10: the binary files, or the pickled ones of "CIFAR-10 python version"

class PickledArray:
    """What NumPy's arrays are pickled as; NumPy is not needed."""

    def __init__(self, *_):
        self.shape, self.bytes = (), b""

    def __setstate__(self, state):
        if len(state) == 5:
            self.shape, self.bytes = state[1], state[4]


class CifarUnpickler(pickle.Unpickler):
    """Knows arrays only: a pickle from a stranger runs nothing."""

    known = {"_reconstruct": PickledArray, "ndarray": PickledArray, "dtype": PickledArray,
             "encode": lambda text, _codec: text.encode("latin1")}

    def find_class(self, module, name):
        if module.split(".")[0] not in ("numpy", "_codecs") or name not in self.known:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, which no batch of CIFAR-10 has")
        return self.known[name]


def read_pickled(path):
    """(bytes of images, classes)"""
    with open(path, "rb") as f:
        try:
            batch = CifarUnpickler(f, encoding="bytes").load()
            data, labels = batch[b"data"].bytes, torch.tensor(batch[b"labels"], dtype=torch.long)
        except (pickle.UnpicklingError, AttributeError, EOFError, IndexError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}: not a pickled batch of CIFAR-10: {error}") from None
    if len(data) != CIFAR_BYTES * len(labels):
        raise DataError(f"{path}: {len(data)} bytes of images for {len(labels)} labels, expected {CIFAR_BYTES} each")
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(-1, CIFAR_BYTES), labels


def read_binary(path):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if not data or len(data) % (1 + CIFAR_BYTES):
        raise DataError(f"{path}: {len(data)} bytes are not a number of images of {1 + CIFAR_BYTES} bytes each")
    rows = torch.frombuffer(data, dtype=torch.uint8).view(-1, 1 + CIFAR_BYTES)
    return rows[:, 1:], rows[:, 0].long()


def read_cifar(read, paths, limit):
    parts = [read(path) for path in paths]
    x, y = torch.cat([part[0] for part in parts])[:limit or None], torch.cat([part[1] for part in parts])[:limit or None]
    return (x.float() / 255 - 0.5).view(-1, 3, CIFAR_PX, CIFAR_PX) * 4, y


def cifar(folder, limit):
    """At most so many training samples; 0: all."""
    places = [os.path.join(folder, name) for name in ("", "cifar-10-batches-py", "cifar-10-batches-bin")]
    for place in places:
        for read, suffix in ((read_pickled, ""), (read_binary, ".bin")):
            train = [os.path.join(place, f"data_batch_{i}{suffix}") for i in range(1, 6)]
            if os.path.isfile(train[0]):
                test = [os.path.join(place, "test_batch" + suffix)]
                return Memory(*read_cifar(read, train, limit),
                              *read_cifar(read, test, max(1, int(TEST_SHARE * limit)) if limit else 0))
    raise DataError(f"{folder}: found neither data_batch_1 nor data_batch_1.bin: expected the files of CIFAR-10")


# ----------------------------------------------------------------------------------------------
# A folder of JPEG files for each class

def image_module():
    try:
        from PIL import Image
    except ImportError:
        raise DataError("JPEG files need Pillow: pip install pillow, or Debian's python3-pil") from None
    return Image


def files_of(folder):
    """Paths and classes, and how many classes there are."""
    classes = sorted(e.name for e in os.scandir(folder) if e.is_dir())
    found = [(os.path.join(folder, name, file), k) for k, name in enumerate(classes)
             for file in sorted(os.listdir(os.path.join(folder, name))) if file.lower().endswith(JPEG)]
    if not found:
        raise DataError(f"{folder}: no JPEG files: expected DIR/CLASS/*.jpg or DIR/train/CLASS/*.jpg")
    return found, len(classes)


class Files(torch.utils.data.Dataset):
    """A random box of each image, in the network's size, mirrored half of the times; without `cropped` the centre."""

    def __init__(self, found, shape, cropped):
        self.found, self.shape, self.cropped, self.pil = found, shape, cropped, image_module()
        self.mean, self.std = (torch.tensor(v).view(3, 1, 1) for v in (MEAN, STD))

    def __len__(self):
        return len(self.found)

    def box(self, width, height):
        if not self.cropped:
            side = min(width, height)
            w = h = side
        else:
            area = width * height * random.uniform(*AREA)
            aspect = math.exp(random.uniform(*map(math.log, ASPECT)))
            w, h = min(width, max(1, math.sqrt(area * aspect))), min(height, max(1, math.sqrt(area / aspect)))
        x, y = ((width - w) / 2, (height - h) / 2) if not self.cropped else \
            (random.uniform(0, width - w), random.uniform(0, height - h))
        return x, y, x + w, y + h

    def __getitem__(self, i):
        path, label = self.found[i]
        px = self.shape.px
        try:
            with self.pil.open(path) as image:
                box = self.box(*image.size)
                image = image.convert("RGB").resize((px, px), self.pil.BILINEAR, box)
        except OSError as error:
            raise DataError(f"{path}: {error}") from None
        x = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8).view(px, px, 3).permute(2, 0, 1)
        x = (x.float() / 255 - self.mean) / self.std
        x = x.flip(2) if self.cropped and random.random() < 0.5 else x
        return self.shape.fitted(x[None])[0], label


class Folder:
    """DIR/CLASS/*.jpg, or DIR/train/CLASS/*.jpg with DIR/val for the test; read anew in each epoch, as training does.
    workers: processes that read ahead; 0: the images are read between the steps."""

    def __init__(self, folder, shape, limit, workers):
        train, test = (os.path.join(folder, name) for name in ("train", "val"))
        split = os.path.isdir(train)
        found, n = files_of(train if split else folder)
        random.shuffle(found)
        shape.check(n, folder)
        self.train = Files(found[:limit or None], shape, True)
        held = files_of(test)[0] if split and os.path.isdir(test) else found
        self.held = Files(held[:max(1, int(TEST_SHARE * limit))] if limit else held, shape, False)
        self.workers = workers

    def __len__(self):
        return len(self.train)

    def epoch(self, batch):
        loader = torch.utils.data.DataLoader(self.train, batch, shuffle=True, num_workers=self.workers, drop_last=True,
                                             pin_memory=torch.cuda.is_available())
        try:
            yield from loader
        except DataError as error:  # from a worker it comes with the worker's traceback
            raise DataError(str(error).strip().split("\n")[-1].replace(f"{DataError.__module__}.DataError: ", "")) from None

    def test(self):
        yield from torch.utils.data.DataLoader(self.held, 64, num_workers=self.workers)


# ----------------------------------------------------------------------------------------------
# By name

def split_spec(spec):
    word, _, path = spec.partition(":")
    if word == "synthetic" and not path or word in ("cifar10", "imagefolder") and path:
        return word, path
    raise DataError(f"data \"{spec}\": expected synthetic, cifar10:FOLDER or imagefolder:FOLDER")


def check_spec(spec):
    """Whether there is something to read, before anything is measured."""
    word, path = split_spec(spec)
    if word == "cifar10":
        cifar(path, 1)
    elif word == "imagefolder":
        Folder(path, Shape(3, CIFAR_PX, math.inf), 1, 0)


def open_grid(spec, shape, samples, seed, workers):
    """What the configurations of a grid are trained on: made-up images are as many as CIFAR-10 has."""
    word, path = split_spec(spec)
    if word == "imagefolder":
        return Folder(path, shape, samples, workers)
    images = synthetic(samples or 50000, seed) if word == "synthetic" else cifar(path, samples)
    images.x, images.test_x = shape.fitted(images.x), shape.fitted(images.test_x)
    return images


def open_network(spec, shape, workers):
    """What a network is trained on: made-up images have its size."""
    word, path = split_spec(spec)
    if word == "imagefolder":
        return Folder(path, shape, 0, workers)
    if word == "synthetic":
        return Memory(torch.randn(POOL, shape.channels, shape.px, shape.px), torch.randint(max(shape.classes, 2), [POOL]))
    images = cifar(path, 0)
    shape.check(CIFAR_CLASSES, path)
    return images


class Feed:
    """Batches of one epoch after the other, in the size of the network; how long each was waited for."""

    def __init__(self, images, shape, batch):
        if len(images) < batch:
            raise DataError(f"batch {batch}: there are {len(images)} training images")
        self.images, self.shape, self.batch = images, shape, batch
        self.left, self.wait_ns = iter(()), []

    def next(self):
        start = time.perf_counter_ns()
        batch = next(self.left, None)
        if batch is None:
            self.left = self.images.epoch(self.batch)
            batch = next(self.left)
        x, y = batch
        x = self.shape.fitted(x)
        self.wait_ns.append(time.perf_counter_ns() - start)
        return x, y
