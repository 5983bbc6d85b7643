# What is no checkpoint, or a damaged one, has a sentence.
python3 - <<'PY'
import json, struct
def write(name, header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with open(name, "wb") as f:
        f.write(struct.pack("<Q", len(text) if length is None else length) + text + data)
def tensor(begin, end, shape, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
write("long.safetensors", b"{}", length=1 << 62)
write("overlap.safetensors", {"a": tensor(0, 8, [2]), "b": tensor(4, 12, [2])}, bytes(12))
write("gap.safetensors", {"a": tensor(4, 8, [1])}, bytes(8))
write("outside.safetensors", {"a": tensor(0, 1 << 40, [1 << 38])}, bytes(8))
write("half.safetensors", {"a": tensor(0, 1, [3], "F4")}, bytes(8))
write("type.safetensors", {"a": tensor(0, 8, [2], "F7")}, bytes(8))
write("none.safetensors", {})
PY
for name in long overlap gap outside half type none missing; do epochcast model $name.safetensors; done
mkdir empty
epochcast model empty/model.safetensors.index.json
epochcast model empty
