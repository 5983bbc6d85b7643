// The predictor as a module: one instance and a few calls, each answered before it returns. What the module asks of its
// host is answered below: nothing it could ask for reaches a network or a disk.

const E_BADF = 8;

function host(memory) {
  const view = () => new DataView(memory().buffer);
  return {
    clock_time_get(id, precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_get: () => 0,
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    fd_write(fd, parts, n, written) { // what stops the module says why on standard error
      let text = '', sum = 0;
      for (let i = 0; i < n; i++) {
        const at = view().getUint32(parts + 8 * i, true), len = view().getUint32(parts + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, len));
        sum += len;
      }
      console.warn(text);
      view().setUint32(written, sum, true);
      return 0;
    },
    proc_exit(status) { throw new Error(`the predictor ended with status ${status}`); },
  };
}

/** Opens a compiled module. Returns an object of calls; texts in and out are strings. */
export async function openPredictor(module) {
  let wasm;
  const known = host(() => wasm.memory);
  const imports = new Proxy(known, { get: (object, name) => object[name] ?? (() => E_BADF) });
  wasm = (await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports })).exports;
  wasm._initialize();
  const encoder = new TextEncoder(), decoder = new TextDecoder();

  function put(bytes) { // with a zero behind it
    const at = wasm.ec_page_alloc(bytes.length + 1);
    if (!at) throw new Error('the memory of the page is full');
    const to = new Uint8Array(wasm.memory.buffer, at, bytes.length + 1);
    to.set(bytes);
    to[bytes.length] = 0;
    return at;
  }
  function take(at) {
    const all = new Uint8Array(wasm.memory.buffer), end = all.indexOf(0, at);
    return decoder.decode(all.subarray(at, end));
  }
  return {
    /** Answers one request of docs/requests.md; a refusal is an answer with `error`. */
    askText(request) {
      const at = put(encoder.encode(request));
      const answer = take(wasm.ec_page_ask(at));
      wasm.ec_page_free(at);
      return answer;
    },
    ask(request) { return JSON.parse(this.askText(JSON.stringify(request))); },
    /** Runs a command line without the program's name. Throws its sentence when it fails. */
    run(words) {
      const at = words.map(word => put(encoder.encode(word)));
      const list = put(new Uint8Array(new Uint32Array([...at, 0]).buffer));
      const answer = take(wasm.ec_page_run(words.length, list, list + 4 * words.length));
      const status = new DataView(wasm.memory.buffer).getInt32(list + 4 * words.length, true);
      for (const p of [...at, list]) wasm.ec_page_free(p);
      if (status) throw new Error(answer);
      return answer;
    },
    /** Lets models and devices be named by a file's bytes. */
    hold(name, bytes) {
      const at = put(encoder.encode(name));
      const status = wasm.ec_page_hold(at, put(bytes), bytes.length);
      wasm.ec_page_free(at);
      if (status) throw new Error('the memory of the page is full');
    },
    options() { return JSON.parse(take(wasm.ec_page_options())); },
    memoryBytes: () => wasm.memory.buffer.byteLength,
  };
}
