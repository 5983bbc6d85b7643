"""Tiny checkpoints for the tests: make_weights.py FILE NAME:TYPE:DIMxDIM ..."""
import json
import math
import struct
import sys

BITS = {"F64": 64, "I64": 64, "F32": 32, "I32": 32, "F16": 16, "BF16": 16, "F8_E4M3": 8, "U8": 8, "F4": 4}

at, header = 0, {"__metadata__": {"format": "pt"}}
for word in sys.argv[2:]:
    name, dtype, dims = word.split(":")
    shape = [int(d) for d in dims.split("x")] if dims else []
    end = at + math.prod(shape) * BITS[dtype] // 8
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, end]}
    at = end
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + bytes(at))
