// The page in Chromium, as a person uses it: node browser.mjs EPOCHCAST SITE EPOCHCAST.html [PICTURES]
// PICTURES: a folder for what was seen in both colour schemes at four widths, and on paper. ONLY=word runs the tests with it in the name;
// UPDATE=1 takes the looks of the page as they are (looks.mjs).
import { equal, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { looks } from './looks.mjs';

const [command, site, oneFile, pictures] = process.argv.slice(2);
const axeText = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const onnx = readFileSync(new URL('../../../examples/resnet50.onnx', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

const server = createServer((request, response) => {
  try {
    const path = request.url === '/' ? '/index.html' : request.url.split('?')[0];
    const body = readFileSync(join(site, path.replaceAll('..', '')));
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' });
    response.end(body);
  } catch {
    response.writeHead(404);
    response.end();
  }
}).listen(0, '127.0.0.1');
await new Promise(done => server.once('listening', done));
const base = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

async function open(address, { width = 1400, scheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  page.errors = [];
  page.on('pageerror', error => page.errors.push(error.message));
  page.on('console', message => { if (message.type() === 'error') page.errors.push(message.text()); });
  await page.goto(address);
  await settled(page);
  return page;
}
const settled = page => page.waitForSelector('body[data-settled]');
const headline = page => page.locator('.headline b').textContent();
async function set(page, selector, value) {
  await page.fill(selector, value);
  await page.press(selector, 'Tab');
  await settled(page);
}
const dropFile = (page, name, bytes) => page.evaluate(async ([fileName, base64]) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(base64), c => c.charCodeAt(0))], fileName));
  document.getElementById('drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}, [name, bytes.toString('base64')]);
const GPT2 = { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024, n_ctx: 1024, vocab_size: 50257 };
/** What a click saves: its name and its bytes. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 30_000 }), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
const dropped = async (page, name, bytes) => {
  await dropFile(page, name, Buffer.from(bytes));
  await page.waitForSelector(`body[data-settled="${name}"]`);
};
async function close(page) {
  equal(page.errors.join('; '), '');
  await page.context().close();
}

const tests = {
  async 'page and command give the same digits'() {
    const page = await open(`${base}#model=resnet50&device=t4&o.batch=32&o.precision=amp`);
    const shown = JSON.parse(await page.evaluate(() => document.querySelectorAll('#same code')[2].textContent));
    equal(JSON.stringify(shown), '{"model":"resnet50","device":"t4","batch":32,"precision":"amp"}');
    const words = (await page.locator('#same code').first().textContent()).split(' ').slice(1);
    const answer = JSON.parse(execFileSync(command, [...words, '--json'], { encoding: 'utf8' }));
    equal(await headline(page), `${(answer.step_time_ns.p50 / 1e6).toPrecision(3)} ms`);
    await close(page);
  },
  async 'it works offline, and every answer follows the form'() {
    const page = await open(`${base}#model=resnet50&device=t4`);
    await page.context().setOffline(true);
    const before = await headline(page);
    await set(page, '#o-batch', '128');
    ok(await headline(page) !== before);
    ok(page.url().includes('o.batch=128'));
    await page.selectOption('#o-precision', 'amp');
    await page.waitForFunction(() => document.querySelector('#same code').textContent.includes('--precision amp'));
    await settled(page);
    await page.locator('#sweep circle[data-batch="16"]').click();
    await page.waitForFunction(() => document.querySelector('#same code').textContent.includes('--batch 16'));
    await close(page);
  },
  async 'a link restores everything'() {
    const page = await open(`${base}#model=gpt2&device=l4&o.batch=4&o.tokens=1B&pins=t4&usd.l4=0.4&measured=900&sort=cost&filter=nvidia&block=1&base=model%3Dgpt2%26device%3Dt4`);
    const again = await open(page.url());
    for (const id of ['#answer', '#mine', '#devices', '#layers', '#memory'])
      equal(await again.locator(id).textContent(), await page.locator(id).textContent(), id);
    ok(/times A \([\d.,]+ (s|ms)\)A: gpt2 on t4, batch \d+/.test((await page.locator('#answer').textContent()).replaceAll('\n', '')));
    ok(!(await page.locator('#answer').textContent()).includes('· ·') && !/· *\n/.test(await page.locator('#answer').innerText()));
    ok((await page.locator('#mine').textContent()).includes('90 % interval'));
    await close(again);
    await close(page);
  },
  async 'an ONNX file is dropped, and a link to it asks for it'() {
    const page = await open(`${base}#model=mlp&device=t4&o.batch=32`);
    await dropFile(page, 'mine.onnx', onnx);
    await page.waitForSelector('body[data-settled="mine.onnx"]');
    const step = await headline(page), link = page.url();
    ok(link.includes('file='));
    const other = await browser.newContext();
    const page2 = await other.newPage();
    await page2.goto(link);
    await page2.waitForSelector('text=stays with whoever made the link');
    await dropFile(page2, 'mine.onnx', onnx);
    await page2.waitForSelector('body[data-settled="mine.onnx"]');
    equal(await page2.locator('.headline b').textContent(), step);
    await other.close();
    await close(page);
  },
  async 'a config.json of Hugging Face, and our JSON, are dropped, and one is pasted'() {
    const page = await open(`${base}#model=mlp&device=l4&o.batch=2`);
    const folder = mkdtempSync(join(tmpdir(), 'page-')), config = JSON.stringify(GPT2);
    const asCommand = file => {
      const answer = JSON.parse(execFileSync(command, ['predict', join(folder, file), '--device', 'l4', '--batch', '2', '--json'], { encoding: 'utf8' }));
      return `${(answer.step_time_ns.p50 / 1e6).toPrecision(3)} ms`;
    };
    try {
      execFileSync(command, ['model', 'resnet18', '--write', join(folder, 'graph.json')]);
      writeFileSync(join(folder, 'config.json'), config);
      await dropped(page, 'graph.json', readFileSync(join(folder, 'graph.json')));
      equal(await headline(page), asCommand('graph.json'));
      await dropped(page, 'mine.json', config);
      equal(await headline(page), asCommand('config.json'));
      await page.click('text=Paste JSON');
      await page.fill('#paste', JSON.stringify(GPT2, null, 2));
      await page.click('#take-paste');
      await page.waitForSelector('body[data-settled="config.json"]');
      equal(await headline(page), asCommand('config.json'));
    } finally { rmSync(folder, { recursive: true }); }
    await page.fill('#paste', '{"model_type": "no such"}');
    await page.click('#take-paste');
    await page.waitForSelector('#answer :text("Not predicted")');
    await close(page);
  },
  async 'tables and pictures are saved'() {
    const page = await open(`${base}#model=resnet50&device=t4&o.batch=32`);
    const csv = await saved(page, page.locator('section[aria-labelledby=h-devices] [data-save=csv]'));
    const rows = csv.bytes.toString().trim().split('\r\n');
    equal(csv.name, 'epochcast.csv');
    equal(rows.length, 1 + await page.locator('#devices tbody tr').count());
    ok(rows[0].startsWith('Device,Pin,Step,90 %') && rows.some(r => r.includes('NVIDIA T4') && r.includes(' ms')), rows[0]);
    for (const name of ['step', 'time', 'memory', 'batch', 'roofline']) {
      const figure = page.locator(`figure[data-name=${name}]`);
      const svg = (await saved(page, figure.locator('[data-save=svg]'))), text = svg.bytes.toString();
      equal(svg.name, `epochcast-${name}.svg`);
      equal(await page.evaluate(t => new DOMParser().parseFromString(t, 'image/svg+xml').documentElement.nodeName, text), 'svg');
      ok(!text.includes('var('), 'a saved picture has its own colours');
      const toPng = () => saved(page, figure.locator('[data-save=png]')), png = await toPng().catch(toPng); // drawn after the click, which a busy browser forgets
      equal(png.name, `epochcast-${name}.png`);
      equal(png.bytes.subarray(1, 4).toString(), 'PNG');
      equal(png.bytes.readUInt32BE(16), 2 * Number(/viewBox="0 0 (\d+)/.exec(text)[1]));
    }
    await close(page);
  },
  async 'what is copied is what is shown'() {
    const page = await open(`${base}#model=resnet50&device=t4&o.batch=32`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    for (let i = 0; i < 3; i++) {
      await page.locator('#same [data-copy]').nth(i).click();
      await page.locator('#same h3').nth(i).locator(':text("Copied")').waitFor();
      equal(await clipboard(), await page.locator('#same code').nth(i).textContent());
    }
    await page.click('#copy-link');
    await page.waitForSelector('#copy-link:text("Copied")');
    equal(await clipboard(), page.url());
    await close(page);
  },
  async 'several devices stand beside each other'() {
    const page = await open(`${base}#model=resnet50&device=t4&o.batch=32`);
    await page.fill('#device', 't4, a100,l4');
    await page.press('#device', 'Tab');
    await page.waitForFunction(() => document.querySelectorAll('#devices [data-pin]:checked').length === 2);
    await settled(page);
    equal(await page.inputValue('#device'), 't4');
    equal(await page.inputValue('#plan-devices'), 't4,a100-sxm4-40gb,l4');
    ok((await page.locator('#time').textContent()).includes('a100-sxm4-40gb'));
    await page.fill('#device', 't4,nothing');
    await page.press('#device', 'Tab');
    await page.waitForSelector('#answer :text("no device \\"nothing\\"")');
    await close(page);
    const other = await open(`${base}#model=gpt2&device=t4,l4`); // a link may say what the form would not
    ok((await other.locator('#answer').textContent()).includes('one device'));
    await set(other, '#device', 'h100-sxm5-80gb');
    await other.locator('#answer [data-option=vocab]').click();
    await other.waitForFunction(() => document.querySelector('#same code').textContent.includes('gpt2:vocab=50304'));
    await close(other);
  },
  async 'light or dark is chosen by hand as well'() {
    const ground = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await open(`${base}#model=mlp&device=t4`), dark = await open(`${base}#model=mlp&device=t4`, { scheme: 'dark' });
    const both = [await ground(light), await ground(dark)];
    ok(both[0] !== both[1]);
    for (const page of [light, dark]) await page.click('#scheme');
    equal(`${await ground(light)} ${await ground(dark)}`, `${both[1]} ${both[0]}`);
    await light.click('#scheme');
    equal(await ground(light), both[0]);
    await close(light);
    await close(dark);
  },
  async 'it looks as it did when it was looked at'() { await looks(browser, open, `${base}#model=gpt2&device=t4&o.batch=16`, close); },
  async 'a refusal is shown with its reason, and files that are none too'() {
    const page = await open(`${base}#model=resnet51&device=t4`);
    ok((await page.locator('#answer').textContent()).includes('did you mean'));
    await dropFile(page, 'broken.json', Buffer.from('{"a": '));
    await page.waitForSelector('body[data-settled="broken.json"]');
    ok((await page.locator('#answer').textContent()).includes('Not predicted'));
    await close(page);
  },
  async 'one file works from a disk'() {
    const page = await open(`${pathToFileURL(resolve(oneFile))}#model=resnet50&device=t4&o.batch=32`);
    ok(/ ms$/.test(await headline(page)));
    await close(page);
  },
  async 'a plan is made and taken'() {
    const page = await open(`${base}#model=resnet50&device=t4&o.samples=1281167&o.epochs=90`);
    await page.fill('#plan-devices', 't4,l4');
    await page.click('#make-plan');
    await page.waitForSelector('#plan table');
    const again = await open(page.url()); // a link has what was planned
    await again.waitForSelector('#plan table');
    equal(await again.locator('#plan').textContent(), await page.locator('#plan').textContent());
    await close(again);
    await page.locator('#plan [data-plan]').first().click();
    await page.waitForFunction(() => document.querySelector('#same code').textContent.includes('--devices'));
    equal(await page.locator('#plan.old').count(), 0);
    await set(page, '#o-epochs', '50');
    await page.waitForSelector('#plan.old');
    await close(page);
  },
  async 'the keyboard alone is enough'() {
    const page = await open(`${base}#model=resnet50&device=t4`);
    for (let i = 0; i < 3 && await page.evaluate(() => document.activeElement.id) !== 'model'; i++) await page.keyboard.press('Tab');
    equal(await page.evaluate(() => document.activeElement.id), 'model');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('resnet18');
    await page.keyboard.press('Tab');
    await page.waitForSelector('body[data-settled="resnet18"]');
    ok((await page.locator('#said').textContent()).includes('a step'));
    await page.focus('#keep');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#drop-base');
    equal(await page.getAttribute('#o-batch', 'placeholder'), '32'); // an empty field shows what was taken
    await page.focus('[data-jump=h-sweep]');
    await page.keyboard.press('Enter');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // the largest batch that fits
    await page.waitForFunction(() => document.querySelector('#same code').textContent.includes('--batch max'));
    await settled(page);
    equal(await page.evaluate(() => document.activeElement.dataset.batch), 'max'); // though its part is made anew
    await page.locator('#sweep summary').press('Enter');
    await page.locator('#sweep button[data-batch="8"]').press('Enter');
    await page.waitForFunction(() => document.querySelector('#same code').textContent.includes('--batch 8'));
    await settled(page);
    ok(await page.locator('#sweep details').evaluate(d => d.open), 'what was open stays open');
    await close(page);
  },
  async 'paper has the answer and no form'() {
    const page = await open(`${base}#model=resnet50&device=t4&o.batch=32&pins=l4`, { width: 720 });
    await page.emulateMedia({ media: 'print' });
    ok(!await page.locator('#ask').isVisible() && await page.locator('#answer').isVisible());
    for (const unasked of ['#h-plan', '#measured', '#scheme', '#same button', '#devices td:nth-child(2)'])
      ok(!await page.locator(unasked).first().isVisible(), `${unasked} on paper`);
    ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than the paper');
    if (pictures) await page.pdf({ path: join(pictures, 'page.pdf') });
    if (pictures) await page.screenshot({ path: join(pictures, 'page-paper.png'), fullPage: true });
    await close(page);
  },
  async 'four widths and both schemes: nothing is cut off, axe-core finds nothing'() {
    for (const width of [320, 900, 1400, 1900]) {
      const page = await open(`${base}#model=gpt2&device=h100-sxm5-80gb&o.batch=16&o.tokens=10B&o.devices=8&pins=l4,t4&measured=80`, { width });
      ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px: wider than the window`);
      for (const id of ['#devices', '#layers'])
        ok(await page.locator(id).evaluate(table => table.scrollWidth <= table.clientWidth), `${width} px: columns of ${id} are cut off`);
      await page.evaluate(axeText);
      for (const scheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: scheme });
        if (pictures) await page.screenshot({ path: join(pictures, `page-${scheme}-${width}.png`), fullPage: true });
        if (width > 1400) continue;
        // A scheme changes colours alone. What axe-core passes has megabytes, and stays in the page.
        const found = await page.evaluate(async rules => (await axe.run(document, { resultTypes: ['violations'], ...rules })).violations
          .map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html).join(' ')}`).join('; '), scheme === 'dark' ? { runOnly: ['color-contrast'] } : {});
        equal(found, '', `${scheme}, ${width} px`);
      }
      await close(page);
    }
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(process.env.ONLY ?? ''))) {
  try {
    const start = performance.now();
    await test();
    console.log(`ok ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}\n${error.stack}`);
  }
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
