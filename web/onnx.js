// Reads an ONNX file of any size without its weights: what the predictor needs of a weight is its shape. The protobuf is
// walked by slices; a tensor's long data are passed over, and lengths around them are written anew.

const MODEL_GRAPH = 7, GRAPH_INITIALIZER = 5;
const TENSOR_DATA = new Set([4, 5, 6, 7, 9, 10, 11]); // float, int32, string, int64, raw, double, uint64
const KEEP_BYTES = 64 << 10; // shorter data may be a shape that the graph computes with
const WINDOW_BYTES = 1 << 20;

function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push(value % 128 | 128);
  bytes.push(value);
  return Uint8Array.from(bytes);
}

/** A blob behind a window, so that small reads are few. */
class Source {
  constructor(blob) { this.blob = blob; this.at = 0; this.window = new Uint8Array(0); }
  async bytes(from, to) {
    if (to > this.blob.size || to < from) throw new Error('the ONNX file ends inside a field');
    if (to - from > WINDOW_BYTES) return new Uint8Array(await this.blob.slice(from, to).arrayBuffer());
    if (from < this.at || to > this.at + this.window.length) {
      this.window = new Uint8Array(await this.blob.slice(from, from + WINDOW_BYTES).arrayBuffer());
      this.at = from;
    }
    return this.window.slice(from - this.at, to - this.at);
  }
  async varint(at) {
    const bytes = await this.bytes(at, Math.min(at + 10, this.blob.size));
    let value = 0, scale = 1;
    for (let i = 0; i < bytes.length; i++, scale *= 128) {
      value += (bytes[i] & 127) * scale;
      if (bytes[i] < 128) return { value, next: at + i + 1 };
    }
    throw new Error('the ONNX file has a number without end');
  }
}

/** Fields of a message: number, wire type, where the field, its value and the next field begin. */
async function* fields(source, from, to) {
  for (let at = from; at < to;) {
    const key = await source.varint(at), wire = key.value % 8;
    let value = key.next, end;
    if (wire === 2) {
      const length = await source.varint(value);
      value = length.next;
      end = value + length.value;
    } else if (wire === 0) end = (await source.varint(value)).next;
    else if (wire === 1 || wire === 5) end = value + (wire === 1 ? 8 : 4);
    else throw new Error(`the ONNX file has a field of the unknown wire type ${wire}`);
    if (end > to) throw new Error('the ONNX file has a field that is longer than its message');
    yield { number: Math.floor(key.value / 8), wire, at, value, end };
    at = end;
  }
}

const sizeOf = parts => parts.reduce((sum, part) => sum + part.length, 0);
const wrap = (number, parts) => [varint(number * 8 + 2), varint(sizeOf(parts)), ...parts];

async function tensor(source, from, to) {
  const parts = [];
  for await (const f of fields(source, from, to))
    if (!TENSOR_DATA.has(f.number) || f.end - f.value <= KEEP_BYTES) parts.push(await source.bytes(f.at, f.end));
  return parts;
}

async function graph(source, from, to) {
  const parts = [];
  for await (const f of fields(source, from, to)) {
    if (f.number === GRAPH_INITIALIZER && f.wire === 2 && f.end - f.value > KEEP_BYTES)
      parts.push(...wrap(GRAPH_INITIALIZER, await tensor(source, f.value, f.end)));
    else parts.push(await source.bytes(f.at, f.end));
  }
  return parts;
}

/** blob: File or Blob. Returns the bytes of an ONNX file of the same network. */
export async function withoutWeights(blob) {
  const source = new Source(blob), parts = [];
  for await (const f of fields(source, 0, blob.size)) {
    if (f.number === MODEL_GRAPH && f.wire === 2) parts.push(...wrap(MODEL_GRAPH, await graph(source, f.value, f.end)));
    else parts.push(await source.bytes(f.at, f.end));
  }
  const all = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}
