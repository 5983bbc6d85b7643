// How fast the page's module is, under node: node tests/perf/page.mjs MODULE.wasm. Processor time, since other work on
// the machine does not count in it; the smallest of five. No test checks it.
import { readFileSync } from 'node:fs';
import { openPredictor } from '../../web/predictor.js';
import { sweepBatches } from '../../web/question.js';
import { withoutWeights } from '../../web/onnx.js';

const bytes = readFileSync(process.argv[2]);
async function best(name, work) {
  const times = [];
  for (let i = 0; i < 5; i++) {
    const start = process.cpuUsage();
    await work(i);
    const used = process.cpuUsage(start);
    times.push((used.user + used.system) / 1000);
  }
  console.log(`${name.padEnd(44)} ${Math.min(...times).toFixed(0).padStart(6)} ms`);
}
let page;
await best('ready: compiled, opened, first answer', async () => {
  page = await openPredictor(await WebAssembly.compile(bytes));
  page.ask({ model: 'resnet50', device: 't4' });
});
const devices = JSON.parse(page.run(['device', 'list', '--json'])).devices.map(d => d.key);
await best(`resnet50 on all ${devices.length} devices`, i => devices.map(device => page.ask({ model: 'resnet50', device, batch: 60 + i })));
const batches = sweepBatches(100, 39).slice(0, 40);
await best(`${batches.length} batches by 10 devices`, () => devices.slice(-10).map(device => batches.map(batch => page.ask({ model: 'resnet50', device, batch }))));
await best('layers, reasons and advice of one answer', () => page.run(['predict', 'resnet50', '--device', 't4', '--json', '--layers', '--explain']));

// An ONNX file of 1 GB: the weights of examples/resnet50.onnx stand once more in front, as 16 tensors of 64 MiB.
const varint = v => { const b = []; for (; v >= 128; v = Math.floor(v / 128)) b.push(v % 128 | 128); b.push(v); return b; };
const weights = new Uint8Array(64 << 20), parts = [];
for (let i = 0; i < 16; i++) {
  const head = [0x08, 4, 0x08, 0x80, 0x80, 0x80, 2, 0x10, 1, 0x42, 2, 0x77, 65 + i, 0x4a, ...varint(weights.length)];
  const tensor = [0x2a, ...varint(head.length + weights.length), ...head];
  parts.push(Uint8Array.from([0x3a, ...varint(tensor.length + weights.length), ...tensor]), weights);
}
const small = readFileSync(new URL('../../examples/resnet50.onnx', import.meta.url));
const large = new Blob([...parts, small]); // making it takes longer than reading it, and a browser has it on disk
await best('weights left out of an ONNX file of 1 GiB', async () => withoutWeights(large));
console.log(`memory of the module ${Math.round(page.memoryBytes() / 2 ** 20)} MiB, of the process ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
