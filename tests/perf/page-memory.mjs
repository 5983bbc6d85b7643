// How long the page takes to begin in Chromium, memory while it reads an ONNX file of 1 GiB, and how long it takes until all is answered:
//   node tests/perf/page-memory.mjs EPOCHCAST.html      (after tests/page/browser/run, which gets playwright-core)
// The file is examples/resnet50.onnx with 16 tensors of 64 MiB before it. The memory is the sum over the browser's processes of
// their share of what they use (Pss), read every 20 ms. No test checks it.
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { chromium } = createRequire(new URL('../page/browser/browser.mjs', import.meta.url))('playwright-core');
const MIB = 1 << 20, TENSOR = 64 * MIB;
const varint = v => { const b = []; for (; v >= 128; v = Math.floor(v / 128)) b.push(v % 128 | 128); b.push(v); return b; };

function writeLarge(path) {
  const file = openSync(path, 'w'), small = readFileSync(new URL('../../examples/resnet50.onnx', import.meta.url));
  let at = 0;
  for (let i = 0; i < 16; i++) {
    const head = [0x08, 4, 0x08, 0x80, 0x80, 0x80, 2, 0x10, 1, 0x42, 2, 0x77, 65 + i, 0x4a, ...varint(TENSOR)];
    const tensor = [0x2a, ...varint(head.length + TENSOR), ...head];
    const bytes = Uint8Array.from([0x3a, ...varint(tensor.length + TENSOR), ...tensor]);
    writeSync(file, bytes, 0, bytes.length, at);
    at += bytes.length + TENSOR; // a hole: zeros
  }
  writeSync(file, small, 0, small.length, at); // of several graphs the last counts
  closeSync(file);
  return at + small.length;
}

/** Bytes of the processes under this one. */
function browserBytes() {
  const parent = new Map();
  for (const pid of readdirSync('/proc').filter(n => /^\d+$/.test(n)))
    try { parent.set(pid, / (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''))[1]); } catch { /* it has ended */ }
  const isOurs = pid => { while (pid && pid !== String(process.pid)) pid = parent.get(pid); return Boolean(pid); };
  let sum = 0;
  for (const pid of parent.keys())
    if (pid !== String(process.pid) && isOurs(pid))
      try { sum += 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]); } catch { /* it has ended */ }
  return sum;
}

const folder = mkdtempSync(join(tmpdir(), 'page-memory-')), path = join(folder, 'large.onnx'), size = writeLarge(path);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
page.setDefaultTimeout(120_000);
await page.goto(`${pathToFileURL(resolve(process.argv[2]))}#model=resnet50&device=t4&o.batch=32`);
await page.waitForSelector('body[data-settled]');
const took = await page.evaluate(() => document.body.dataset);
console.log(`the page by the wall clock: ready after ${took.readyMs} ms, a first answer ${took.answerMs} ms later, all parts ${took.allMs} ms`);
const before = browserBytes(), start = performance.now();
let most = before, looks = 0, isDone = false;
const watch = (async () => { while (!isDone) { most = Math.max(most, browserBytes()); looks++; await new Promise(r => setTimeout(r, 20)); } })();
await page.setInputFiles('#file', path);
await page.waitForSelector('#model-note:text("read here")');
const read = (performance.now() - start) / 1000;
await page.waitForSelector('body[data-settled="large.onnx"]');
const seconds = (performance.now() - start) / 1000;
isDone = true;
await watch;
console.log(`${(size / 2 ** 30).toFixed(2)} GiB: read after ${read.toFixed(1)} s, answered after ${seconds.toFixed(1)} s, ${await page.locator('.headline b').textContent({ timeout: 1000 })} a step`);
console.log(`memory of all of the browser: ${Math.round(before / MIB)} MiB before, at most ${Math.round(most / MIB)} MiB, ${Math.round((most - before) / MIB)} MiB more (${looks} looks)`);
await browser.close();
rmSync(folder, { recursive: true });
