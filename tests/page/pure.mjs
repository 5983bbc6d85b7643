// The page's pure functions, by node without a browser: node tests/page/pure.mjs [EPOCHCAST MODULE.wasm]
// With the two, also that the page's module and the command write the same for the same words.
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { bytes, percent, range, rate, time, usd, whole } from '../../web/format.js';
import { emptyState, fromAddress, readPrices, sweepBatches, toAddress, toCommand, toPython, toRequest, toWords } from '../../web/question.js';
import { linearTicks, logTicks, sweepChart } from '../../web/charts.js';
import { answerCard, filterDevices, kindsOf, layersSection, planSection, timeParts } from '../../web/sections.js';
import { withoutWeights } from '../../web/onnx.js';
import { openPredictor } from '../../web/predictor.js';
import { pictures } from './pictures.mjs';

const [command, module] = process.argv.slice(2);
const option = (name, type = 'text') => [name, { name, type }];
const known = { options: new Map([option('batch', 'int'), option('precision', 'choice'), option('samples', 'int'), option('usd_per_hour', 'float'), option('input_copy', 'bool')]),
  prices: readPrices('device,usd_per_hour,kind,date,source\nt4,0.5,on-demand,2025-03-07,A host\nt4,9,spot,2025-01-01,Another\n') };
const asked = { ...emptyState(), device: 't4', cond: { batch: '64', precision: 'amp', samples: '1000', input_copy: 'true' } };

const tests = {
  'numbers have three digits and a unit'() {
    equal(time(44_900_000), '44.9 ms');
    equal(time(999_990), '1.00 ms');
    equal(time(3600e9 * 30), '30.0 h');
    equal(time(3600e9 * 72), '3.00 d');
    equal(bytes(80 * 2 ** 30), '80.0 GiB');
    equal(rate(1.5e12, 'FLOP/s'), '1.50 TFLOP/s');
    equal(usd(1234.4), '$1,234');
    equal(percent(0.0143), '1.43 %');
    equal(whole(4096), '4,096');
    equal(range({ p05: 36.7e6, p95: 55.3e6 }, time), '36.7 to 55.3 ms');
    equal(range({ p05: 922e6, p95: 1.65e9 }, time), '922 ms to 1.65 s');
    equal(range({ p05: 8.18, p95: 12.1 }, usd), '$8.18 to $12.1');
    equal(time(NaN), 'unknown');
  },
  'an address restores every part of a state'() {
    const state = { ...asked, file: 'ab'.repeat(32), pins: ['l4', 'h100-sxm5-80gb'], prices: { l4: '0.4' }, measured: '45', base: 'model=mlp&device=t4', sort: 'cost', filter: 'nvidia 2020', block: '1', fits: '1', plan: 't4,l4', counts: '1..4', deadline: '3d' };
    deepEqual(fromAddress(`#${toAddress(state)}`), state);
  },
  'an address of others is bounded'() {
    const state = fromAddress('#model=a&o.batch=1&__proto__=x&o.__proto__=y&usd.t4=-3&pins=' + 'a,'.repeat(1000));
    deepEqual(state.prices, {});
    ok(state.pins.length <= 20);
    equal(Object.getPrototypeOf(state.cond), Object.prototype);
  },
  'a question is the same to all interfaces'() {
    deepEqual(toRequest(asked, known), { model: 'resnet50', device: 't4', usd_per_hour: 0.5, batch: 64, precision: 'amp', samples: 1000, input_copy: true });
    equal(toCommand(asked, known), 'epochcast predict resnet50 --device t4 --usd-per-hour 0.5 --batch 64 --precision amp --samples 1000 --input-copy');
    equal(toPython(asked, known), 'import epochcast\nprint(epochcast.predict("resnet50", device="t4", usd_per_hour=0.5, batch=64, precision="amp", samples=1000, input_copy=True))');
    equal(toCommand({ ...asked, model: "a b'c.onnx", cond: {} }, known), "epochcast predict 'a b'\\''c.onnx' --device t4");
  },
  'a sweep has the asked batch once, in order'() {
    const list = sweepBatches(100);
    deepEqual(list, [...new Set(list)].sort((a, b) => a - b));
    ok(list.includes(100) && list[0] === 1);
  },
  'ticks are round and inside'() {
    deepEqual(logTicks(1, 1e4), [1, 10, 100, 1000, 10000]);
    deepEqual(logTicks(40, 70), [40, 50, 60, 70]);
    deepEqual(linearTicks(1400, 4), [0, 500, 1000]);
    const ticks = sweepChart([1, 2].map(batch => ({ batch, p05: 1, p50: 10, p95: 1900, fits: true })), 1, 'samples/s');
    deepEqual(ticks.match(/>[\d.]+( k)?</g).slice(0, 4), ['>0<', '>500<', '>1 k<', '>1.5 k<']);
  },
  'pictures are well formed, labelled, and without numbers that are none'() {
    for (const svg of Object.values(pictures())) {
      ok(/^<svg [^>]*role="img" aria-label="[^"]+"/.test(svg), svg.slice(0, 200));
      ok(!/NaN|Infinity|undefined|<t4>/.test(svg), svg);
      equal(svg.match(/<(\w+)[^>]*[^/]>/g).length, svg.match(/<\/\w+>/g).length);
    }
  },
  'what is shown of a refusal is its reason, without its tags'() {
    ok(answerCard({ error: { message: 'no <b>such</b> device' } }, {}).includes('no &#60;b&#62;such'));
  },
  'what would fit is said of shared jobs too'() {
    const p = { p05: 1, p50: 2, p95: 3 }, card = room => answerCard({ step_time_ns: p, warnings: [], room }, {});
    ok(card({ batch: 0, batch_recompute: 8 }).includes('largest batch that fits: none; with recompute 8'));
    ok(card({ zero_3_recompute: 1, device: 'h200' }).includes('this batch fits with zero 3 recompute, or on h200'));
    ok(card({}).includes('nothing as asked; a plan looks for how many devices hold it'));
  },
  'an answer is told how well its kind holds'() {
    const kinds = JSON.parse(readFileSync(new URL('../../web/accuracy.json', import.meta.url))), memory_peak_bytes = { p50: 1 };
    const of = (a, device) => kindsOf(a, device, kinds).map(k => k.kind).join('; ');
    equal(of({ basis: 'measured', host: 'reference', memory_peak_bytes }, 'gpu'), 'gpu measured; memory');
    equal(of({ basis: 'calibrated', host: 'epyc' }, 'gpu'), 'gpu measured, host named');
    equal(of({ basis: 'related', devices: 8, machines: 1 }, 'gpu'), 'gpu measured; gpu unmeasured; several');
    equal(of({ basis: 'specification' }, 'cpu'), 'cpu unmeasured');
    equal(of({ basis: 'specification' }, 'accelerator'), 'accelerator unmeasured');
    equal(of({ basis: 'related', devices: 16, machines: 2, shared: {} }, 'gpu'), 'shared');
    const card = answerCard({ step_time_ns: { p05: 1, p50: 2, p95: 3 }, warnings: [], basis: 'measured' }, { deviceKind: 'gpu', kinds });
    ok(/half are off by less than \d+\.\d %.*no network of the same structure.*u39kun/s.test(card), card);
  },
  'a plan says how likely it keeps the limits, and what it costs at most'() {
    const plan = { devices: 2, device: 't4', how: 'ddp', batch: 64, precision: 'amp', time_ns: 19 * 3600e9, time_p05_ns: 16 * 3600e9, time_p95_ns: 27 * 3600e9,
      cost_usd: 8.34, cost_p05_usd: 6.94, cost_p95_usd: 12, memory_peak_bytes: 2 ** 30, within_limits_probability: 0.857, best: 'expected', why: 'cheapest', command: 'x' };
    const html = planSection({ plans: [plan], possible: 4, predicted: 2, ruled_out_by_memory: 1, ruled_out_by_time: 1, refused: 0 });
    for (const part of ['best by the median; cheapest; 85.7 % within the limits', '$6.94 to $12.0', '16.0 to 27.0 h', '1 by time'])
      ok(html.includes(part), part);
  },
  'devices are found by all words'() {
    const devices = [{ key: 'a100', name: 'NVIDIA A100', vendor: 'nvidia', arch: 'sm80', kind: 'gpu', launch_year: 2020 }, { key: 'mi300x', name: 'AMD MI300X', vendor: 'amd', arch: 'cdna3', kind: 'gpu', launch_year: 2023 }];
    deepEqual(filterDevices(devices, 'amd 2023').map(d => d.key), ['mi300x']);
    equal(filterDevices(devices, '').length, 2);
  },
  'blocks add their layers up'() {
    const layer = name => ({ layer: name, op: 'conv2d', forward_ns: 1e6, backward_ns: 2e6, update_ns: 0, flop: 1, limit: 'compute' });
    ok(layersSection([layer('a.0.x'), layer('a.0.y'), layer('b')], true).includes('2 layers'));
  },
  'the parts of a step add up to it'() {
    const parts = timeParts({ step_time_ns: { p50: 10 }, parts: { forward_ns: 2, backward_ns: 3, update_ns: 1, launch_ns: 1 } });
    equal(parts.reduce((s, p) => s + p.value, 0), 10);
  },
  async 'a broken ONNX file is refused, not read for ever'() {
    for (const bytes of [[0x3a, 0xff], [0x3b, 1], [0x3a, 5, 1], Array(20).fill(0xff)]) await rejects(withoutWeights(new Blob([Uint8Array.from(bytes)])), /ONNX/);
  },
};

if (command && module) Object.assign(tests, {
  async 'the page and the command write the same for the same words'() {
    const page = await openPredictor(await WebAssembly.compile(readFileSync(module)));
    const all = new Map(page.options().predict.filter(o => o.query).map(o => [o.name, o]));
    const same = words => equal(page.run(words), execFileSync(command, words, { encoding: 'utf8', env: { PATH: process.env.PATH } }));
    same([...toWords({ ...asked, device: 'a100-sxm4-40gb' }, { options: all, prices: new Map() }), '--json', '--layers', '--explain']);
    same(['plan', 'resnet50', '--device', 't4,l4', '--devices', '1,2', '--samples', '1M', '--json']);
    same(['model', 'resnet50', '--json']);
    same(['device', 'list', '--json']);
    throws(() => page.run(['predict', 'resnet50', '--device', 'no-such']), /no-such/);
    throws(() => page.run(['train', 'mlp']), /no command/);
  },
  async 'a network without its weights is the same network'() {
    const file = readFileSync(new URL('../../examples/resnet50.onnx', import.meta.url));
    const page = await openPredictor(await WebAssembly.compile(readFileSync(module)));
    const ask = () => page.askText('{"model":"net.onnx","device":"t4","batch":8}');
    page.hold('net.onnx', file);
    const whole = ask();
    page.hold('net.onnx', await withoutWeights(new Blob([file])));
    equal(ask(), whole);
    page.hold('net.onnx', file.subarray(0, 100)); // hostile: cut short
    ok(JSON.parse(ask()).error);
  },
});

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}\n${error.message}`);
  }
}
process.exit(failed ? 1 : 0);
