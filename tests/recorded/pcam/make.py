#!/usr/bin/env python3
"""Writes the small PatchCamelyon beside it: tests/recorded/pcam/make.py

The layout is that of the distributed files, with images of 8x8 instead of 96x96. Value i of image n is
(7 n + i) mod 256, label of image n is n mod 2. Needs Debian's python3-h5py.
"""
import pathlib

import h5py
import numpy

HERE = pathlib.Path(__file__).resolve().parent
for split, n in (("train", 4), ("valid", 2), ("test", 3)):
    x = numpy.array([[(7 * k + i) % 256 for i in range(192)] for k in range(n)], dtype=numpy.uint8)
    y = numpy.arange(n, dtype=numpy.uint8) % 2
    with h5py.File(HERE / f"camelyonpatch_level_2_split_{split}_x.h5", "w") as f:
        f.create_dataset("x", data=x.reshape(n, 8, 8, 3), chunks=(2, 8, 8, 3), compression="gzip")
    with h5py.File(HERE / f"camelyonpatch_level_2_split_{split}_y.h5", "w") as f:
        f.create_dataset("y", data=y.reshape(n, 1, 1, 1))
