#!/usr/bin/env python3
"""Writes the corpora of fuzz-pickle, fuzz-idx, fuzz-cifar, fuzz-npy and fuzz-jpeg:
fuzz/make_sample_seeds.py

Files in the true formats, by the programs that define them: pickle, NumPy, libjpeg through Pillow. The
unit tests read some of them too. Needs Debian's python3-numpy and python3-pil. Pixel i of image n is (7 n + i) mod 256, label of image n is
(3 n + 1) mod 10.
"""
import gzip
import io
import pathlib
import pickle
import struct
import sys

import numpy
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent / "corpus"


def write(folder, name, data):
    path = HERE / folder
    path.mkdir(parents=True, exist_ok=True)
    (path / name).write_bytes(data)


def images(n, size):
    return numpy.array([[(7 * k + i) % 256 for i in range(size)] for k in range(n)], dtype=numpy.uint8)


def labels(n):
    return [(3 * k + 1) % 10 for k in range(n)]


def python2_batch(data, label_list):
    """What Python 2's cPickle wrote for CIFAR, protocol 2, instruction by instruction."""
    def text(s):
        return b"U" + bytes([len(s)]) + s

    rows, cols = data.shape
    raw = data.tobytes()
    return b"".join([
        b"\x80\x02}q\x01(", text(b"batch_label"), b"q\x02", text(b"training batch 1 of 5"), b"q\x03",
        text(b"labels"), b"q\x04]q\x05(", b"".join(b"K" + bytes([v]) for v in label_list), b"e",
        text(b"data"), b"q\x06cnumpy.core.multiarray\n_reconstruct\nq\x07cnumpy\nndarray\nq\x08K\x00\x85",
        text(b"b"), b"\x87Rq\x09(K\x01", b"M" + struct.pack("<H", rows), b"M" + struct.pack("<H", cols), b"\x86",
        b"cnumpy\ndtype\nq\x0a", text(b"u1"), b"K\x00K\x01\x87Rq\x0b(K\x03", text(b"|"),
        b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T" + struct.pack("<I", len(raw)) + raw + b"tb",
        text(b"filenames"), b"q\x0c]q\x0d", text(b"a.png"), b"au."])


class NumPy2(pickle._Pickler):
    """Calls the modules of arrays what NumPy 2 calls them."""
    for module in ("", ".multiarray", ".numeric"):
        sys.modules["numpy._core" + module] = sys.modules["numpy.core" + module]

    def save_global(self, obj, name=None):
        module = pickle.whichmodule
        pickle.whichmodule = lambda *args: module(*args).replace("numpy.core", "numpy._core")
        super().save_global(obj, name)
        pickle.whichmodule = module

    dispatch = dict(pickle._Pickler.dispatch)
    dispatch[type(len)] = dispatch[type(images)] = dispatch[type] = save_global


def numpy2(what, protocol):
    out = io.BytesIO()
    NumPy2(out, protocol).dump(what)
    return out.getvalue()


def python2_text(raw):
    """A str as Python 2 wrote it in protocol 0."""
    letters = {9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\"}
    return ("S'" + "".join(letters.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02x}") for b in raw) + "'\n").encode()


def pickles():
    data, names = images(2, 3072), labels(2)
    loaded = {b"batch_label": b"", b"labels": names, b"data": data, b"filenames": [b"a.png"]}  # encoding="bytes"
    for protocol in range(6):
        write("pickle", f"python3_{protocol}.pkl",
              pickle.dumps({"labels": names, "data": data, "batch_label": "b"}, protocol))
        write("pickle", f"saved_again_{protocol}.pkl", pickle.dumps(loaded, protocol))
    for protocol in (2, 4, 5):
        write("pickle", f"numpy2_{protocol}.pkl", numpy2(loaded, protocol))
    write("pickle", "python2.pkl", python2_batch(data, names))
    write("pickle", "python2_text.pkl", python2_text(bytes(range(256))) + b".")
    write("pickle", "escape_cut.pkl", b"c_codecs\nencode\n(V\\u00\nVlatin1\ntR.")
    write("pickle", "no_latin1.pkl", b"c_codecs\nencode\n(V\\u0100\nVlatin1\ntR.")
    write("pickle", "string_cut.pkl", b"S'\\x1'\n.")
    write("pickle", "numbers.pkl", pickle.dumps([1, -1, 2**40, 1.5, True, None, (1, 2, 3, 4), {"a": []}], 2))
    write("pickle", "numbers_0.pkl", pickle.dumps([1, -1, 2**40, 1.5, True, None, (1, 2, 3, 4), {"a": []}], 0))
    write("pickle", "calls_system.pkl", b"cos\nsystem\n(S'echo no'\ntR.")
    write("pickle", "calls_stack_global.pkl", b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02no\x85R.")
    write("pickle", "list_in_itself.pkl", b"]q\x00h\x00a.")
    write("pickle", "shape_too_large.pkl",
          python2_batch(data, names).replace(b"M\x00\x0c\x86", b"M\xff\xff\x86"))
    write("pickle", "cut.pkl", python2_batch(data, names)[:300])
    write("pickle", "memo_far.pkl", b"]r\xff\xff\xff\x7f.")
    write("pickle", "length_huge.pkl", b"\x8e\xff\xff\xff\xff\xff\xff\xff\xffabc.")


def idx():
    raw = b"\0\0\x08\x03" + struct.pack(">III", 3, 4, 5) + images(3, 20).tobytes()
    write("idx", "images.idx", raw)
    write("idx", "images.idx.gz", gzip.compress(raw, mtime=0))
    write("idx", "labels.idx", b"\0\0\x08\x01" + struct.pack(">I", 3) + bytes(labels(3)))
    write("idx", "too_many.idx", b"\0\0\x08\x03" + struct.pack(">III", 2**32 - 1, 4000, 4000) + bytes(9))
    write("idx", "short.idx", raw[:-1])
    write("idx", "cut.gz", gzip.compress(raw, mtime=0)[:-12])
    write("idx", "bomb.gz", gzip.compress(bytes(1 << 22), mtime=0))


def cifar():
    data = images(2, 3072)
    write("cifar", "ten.bin", b"".join(bytes([v]) + row.tobytes() for v, row in zip(labels(2), data)))
    write("cifar", "short.bin", bytes(3072))


def npy():
    def save(name, array, version=(1, 0)):
        out = io.BytesIO()
        numpy.lib.format.write_array(out, array, version=version)
        write("npy", name, out.getvalue())

    save("bytes.npy", images(3, 12).reshape(3, 2, 2, 3))
    save("floats.npy", numpy.arange(6, dtype="<f4").reshape(2, 3) / 2)
    save("doubles_v2.npy", numpy.arange(6, dtype="<f8"), (2, 0))
    save("longs.npy", numpy.arange(-2, 4, dtype="<i8"))
    save("fortran.npy", numpy.asfortranarray(numpy.ones((2, 3))))
    save("big_endian.npy", numpy.arange(3, dtype=">i4"))
    write("npy", "shape_huge.npy",
          b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999)}")


def jpeg():
    """Ramps: red grows by 2 a column, green by 3 a row, blue is 128."""
    ramp = numpy.zeros((80, 120, 3), dtype=numpy.uint8)
    ramp[..., 0] = numpy.arange(120) * 2
    ramp[..., 1] = numpy.arange(80)[:, None] * 3
    ramp[..., 2] = 128
    image = Image.fromarray(ramp)

    def save(name, what, **options):
        out = io.BytesIO()
        what.save(out, "JPEG", quality=95, **options)
        write("jpeg", name, out.getvalue())
        return out.getvalue()

    data = save("ramp.jpg", image)
    save("progressive.jpg", image, progressive=True)
    save("full_colour.jpg", image, subsampling=0)
    save("grey.jpg", image.getchannel(0))
    save("inks.jpg", image.convert("CMYK"))
    write("jpeg", "cut.jpg", data[:len(data) // 2])
    write("jpeg", "header_only.jpg", data[:300])
    large = bytearray(data)
    at = large.index(b"\xff\xc0")
    large[at + 5:at + 9] = b"\xff\xdc\xff\xdc"
    write("jpeg", "says_65500.jpg", bytes(large))
    out = io.BytesIO()
    image.resize((8, 8)).save(out, "PNG")
    write("jpeg", "is_png.jpg", out.getvalue())


pickles()
idx()
cifar()
npy()
jpeg()
