#!/usr/bin/env python3
"""The .h5 files of the tests, as Keras 2 writes them: the architecture as the attribute model_config.

    python3 tests/keras/h5.py MODEL.json OUT.d      needs h5py (Debian: python3-h5py)
"""
import json
import os
import sys

import h5py
import numpy


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = json.dumps(json.load(f))
    out = sys.argv[2]
    with h5py.File(os.path.join(out, "model.h5"), "w") as f:  # as Keras: text of any length
        f.attrs["keras_version"] = b"2.15.0"
        f.attrs["model_config"] = text.encode()
    with h5py.File(os.path.join(out, "fixed.h5"), "w") as f:  # as other writers: text of the file's own length
        f.attrs["model_config"] = numpy.bytes_(text)
    with h5py.File(os.path.join(out, "weights.h5"), "w") as f:
        f.attrs["backend"] = b"tensorflow"
    with h5py.File(os.path.join(out, "number.h5"), "w") as f:
        f.attrs["model_config"] = 7
    with h5py.File(os.path.join(out, "list.h5"), "w") as f:
        f.attrs["model_config"] = [b"{}", b"{}"]


if __name__ == "__main__":
    main()
