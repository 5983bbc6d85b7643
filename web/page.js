// The page: reads the form into a state, asks the worker, and puts what the sections make into their places.
import { escape, time, whole } from './format.js';
import { emptyState, fromAddress, readPrices, sweepBatches, toAddress, toCommand, toPython, toRequest, toWords } from './question.js';
import { answerCard, devicesSection, filterDevices, layersSection, memorySection, mineSection, orders, planSection, rooflineSection, sameSection, sweepSection, timeSection } from './sections.js';
import { setWidth } from './charts.js';
import { withoutWeights } from './onnx.js';

const MAIN = ['batch', 'precision', 'optimizer', 'framework', 'mode', 'devices', 'strategy', 'global_batch', 'dataset', 'samples', 'tokens', 'epochs', 'seq_len', 'image', 'recompute', 'loader'];
const CHOSEN_BY_NETWORK = ['precision', 'optimizer']; // where nothing is said
const LABELS = { batch: 'batch of a device', devices: 'devices', global_batch: 'batch of all', samples: 'samples/epoch', seq_len: 'sequence, tokens', image: 'image, pixels', loader: 'loader, samples/s', usd_per_hour: 'USD an hour' };
const LIKE = { dataset: 'e.g. imagenet', samples: 'e.g. 1.2M', tokens: 'e.g. 15B', epochs: 'e.g. 90', loader: 'e.g. 800' };
const SMALL_FILE_BYTES = 8 << 20;
const $ = id => document.getElementById(id);
const known = { options: new Map(), prices: new Map(), kinds: [] };
let state = emptyState(), devices = [], networks = [], held = '', planned = ''; // planned: the words of the plan that is shown
let last = { answer: null, all: new Map(), layers: null, work: null, base: null };
const selectorOf = e => e.id ? `#${e.id}` : [...e.attributes].filter(a => a.name.startsWith('data-')).map(a => `[${a.name}="${CSS.escape(a.value)}"]`).join('');

/** Parts are made anew by each answer: what was open stays open, and the control in use stays in use. */
function put(id, html) {
  const part = $(id), open = [...part.querySelectorAll('details[open]')].map(d => d.firstChild.textContent.split(':')[0]);
  const used = part.contains(document.activeElement) && part !== document.activeElement ? selectorOf(document.activeElement) : '';
  part.innerHTML = html;
  for (const d of part.querySelectorAll('details')) d.open = open.includes(d.firstChild.textContent.split(':')[0]);
  if (used) part.querySelector(used)?.focus({ preventScroll: true });
}

/* --- The worker --- */

const calls = new Map();
let worker, calledLast = 0;

function call(kind, name, ...args) { // resolves to undefined when a newer call of the kind replaces it
  return new Promise((resolve, reject) => {
    const id = ++calledLast;
    calls.set(id, { resolve, reject });
    worker.postMessage({ id, kind, call: name, args });
  });
}

function received({ data }) {
  const waiting = calls.get(data.id);
  calls.delete(data.id);
  if (data.error) waiting?.reject(new Error(data.error));
  else waiting?.resolve(data.isOld ? undefined : data.answer);
}

async function startWorker() {
  const inline = $('module-bytes'), script = $('worker-text');
  const url = script ? URL.createObjectURL(new Blob([script.textContent], { type: 'text/javascript' })) : new URL('worker.js', document.baseURI);
  worker = new Worker(url, { type: script ? 'classic' : 'module' });
  const served = () => fetch(new URL('epochcast.wasm', document.baseURI)); // compiled while it comes, where the host says what it is
  const module = inline ? await WebAssembly.compile(await unpack(inline.textContent))
    : await WebAssembly.compileStreaming(served()).catch(async () => WebAssembly.compile(await (await served()).arrayBuffer()));
  await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => data.ready ? resolve() : reject(new Error(data.error));
    worker.onerror = event => reject(new Error(event.message || 'the worker did not start'));
    worker.postMessage({ module });
  });
  worker.onmessage = received;
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64); // browsers since 2025
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i); // a tenth of what Uint8Array.from takes
  return bytes;
}

async function unpack(base64) {
  return new Response(new Blob([bytesOf(base64.trim())]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/* --- The form --- */

function fieldOf(option) {
  const id = `o-${option.name}`, value = state.cond[option.name] ?? '', label = LABELS[option.name] ?? option.name.replaceAll('_', ' ');
  const usual = option.default ? `${option.default}` : '';
  const hint = `class="${value ? 'set' : ''}" title="${escape(option.help)}" data-name="${option.name}" id="${id}"`;
  let input;
  if (option.type === 'choice' || option.type === 'bool') {
    const choices = option.type === 'bool' ? ['true', 'false'] : option.choices;
    const word = option.type === 'bool' ? { 1: 'yes', 0: 'no' }[usual] ?? '' : CHOSEN_BY_NETWORK.includes(option.name) ? 'usual' : usual;
    input = `<select ${hint}><option value="">${escape(word || 'usual')}</option>${choices.filter(c => ({ true: 'yes', false: 'no' }[c] ?? c) !== word).map(c => `<option value="${escape(c)}"${c === value ? ' selected' : ''}>${escape({ true: 'yes', false: 'no' }[c] ?? c)}</option>`).join('')}</select>`;
  } else input = `<input ${hint} value="${escape(value)}" placeholder="${escape(usual || (LIKE[option.name] ?? ''))}" spellcheck="false"${option.type === 'int' && !option.amount ? ' inputmode="numeric"' : ''}>`;
  return `<div class="field"><label for="${id}">${escape(label)}</label>${input}</div>`;
}

function showForm() {
  $('model').value = state.model;
  $('device').value = state.device;
  $('measured').value = state.measured;
  $('filter').value = state.filter;
  $('sort').value = state.sort;
  $('by-block').checked = state.block === '1';
  $('only-fits').checked = state.fits === '1';
  $('plan-devices').value = state.plan || [...new Set([state.device, 'h100-sxm5-80gb', 'l4'])].join(',');
  $('plan-counts').value = state.counts || '1,2,4,8';
  $('deadline').value = state.deadline;
  put('fields', MAIN.filter(n => known.options.has(n)).map(n => fieldOf(known.options.get(n))).join(''));
  put('more-fields', [...known.options.values()].filter(o => !MAIN.includes(o.name)).map(fieldOf).join(''));
  if (Object.keys(state.cond).some(n => !MAIN.includes(n))) $('advanced').open = true;
}

function setCondition(name, value) {
  if (value === '') delete state.cond[name];
  else state.cond[name] = value;
  const input = document.querySelector(`[data-name="${CSS.escape(name)}"]`);
  if (input && input.value !== value) input.value = value;
  input?.classList.toggle('set', value !== '');
}

/** What a field that says nothing stands for: an empty field shows what the answer took. */
function showTaken(a) {
  const taken = { ...a, batch: a.batch_per_device, image: a.image_px };
  for (const input of document.querySelectorAll('#ask [data-name]')) {
    const value = taken[input.dataset.name];
    if (state.cond[input.dataset.name] || !['string', 'number'].includes(typeof value)) continue;
    if (input.tagName === 'SELECT') input.options[0].text = value;
    else input.placeholder = value;
  }
}

/* --- Asking --- */

const deviceOf = key => devices.find(d => d.key === key);
const priceOf = key => ({ usd: state.prices[key] ?? known.prices.get(key)?.usd,
  title: state.prices[key] ? 'your price' : known.prices.has(key) ? `${known.prices.get(key).kind}, ${known.prices.get(key).date}, ${known.prices.get(key).source}` : 'no price is known' });
const failed = error => ({ error: { message: error.message } });

function showAnswer() {
  const a = last.answer;
  setWidth($('time').clientWidth);
  if (!a.error) showTaken(a);
  put('answer', answerCard(a, { base: last.base, capacity: deviceOf(a.device)?.memory_bytes, deviceKind: deviceOf(a.device)?.kind, kinds: known.kinds, label: a.error ? '' : `${a.model} on ${a.devices > 1 ? `${a.devices} × ` : ''}${deviceOf(a.device)?.name ?? a.device}, batch ${a.batch}${a.devices > 1 && a.batch_per_device < a.batch ? ` (${a.batch_per_device} each)` : ''}, ${a.precision}` }));
  put('time', timeSection(stackedAnswers()));
  put('memory', memorySection(stackedAnswers(), key => deviceOf(key)?.memory_bytes));
  put('same', sameSection(toCommand(state, known), toPython(state, known), JSON.stringify(toRequest(state, known))));
}

const stackedAnswers = () => [last.answer, ...state.pins.filter(k => k !== state.device).map(k => last.all.get(k)).filter(Boolean)].slice(0, 8);

function showDevices() {
  put('devices', devicesSection(filterDevices(devices, state.filter), last.all, { sort: state.sort, pins: state.pins, chosen: state.device, onlyFits: state.fits === '1', prices: priceOf }));
}

function showLayers() {
  put('layers', layersSection(last.layers, state.block === '1'));
  put('roofline', rooflineSection(last.layers, last.work, deviceOf(state.device), last.answer?.precision));
}

async function askMine() {
  const a = last.answer, ns = Number(state.measured) * 1e6;
  let scaled = [];
  if (a && !a.error && ns > 0) {
    const has = a.devices ?? 1, counts = [1, 2, 4, 8].filter(n => n !== has);
    const answers = await call('mine', 'askAll', counts.map(n => toRequest(state, known, state.device, { devices: String(n), from_run: `${has}=${ns / 1e6}ms` })));
    if (!answers) return;
    scaled = answers.map((x, i) => ({ ...x, asked: counts[i] }));
  }
  put('mine', mineSection(a, ns, scaled));
}

async function askDetails() { // what one answer has besides: layers, advice, what would fit
  if (last.answer.error) {
    last.layers = last.work = null;
    return showLayers();
  }
  const words = toWords(state, known), sizes = ['batch', 'precision', 'optimizer', 'seq_len', 'image', 'classes'];
  try {
    const text = await call('whole', 'run', [...words, '--json', '--explain', '--layers']).catch(() => call('whole', 'run', [...words, '--json', '--explain']));
    if (!text) return;
    const whole = JSON.parse(text);
    last.answer = whole;
    last.layers = whole.layers ?? null;
    const given = sizes.filter(n => state.cond[n] && n !== 'batch').flatMap(n => [`--${n.replaceAll('_', '-')}`, state.cond[n]]);
    last.work = whole.layers ? JSON.parse(await call('work', 'run', ['model', state.model, '--batch', String(whole.batch_per_device), ...given, '--json']) ?? 'null')?.layers : null;
  } catch (error) {
    last.layers = last.work = null;
    if (!last.answer.error) last.answer = { ...last.answer, warnings: [...last.answer.warnings, error.message] };
  }
  showAnswer();
  showLayers();
}

async function askAround() { // other devices, other batches
  const wanted = devices.filter(d => d.kind !== 'cpu' || d.key === state.device || state.pins.includes(d.key));
  const answers = await call('devices', 'askAll', wanted.map(d => toRequest(state, known, d.key)));
  if (!answers) return;
  last.all = new Map(wanted.map((d, i) => [d.key, answers[i]]));
  showDevices();
  if (state.pins.length && last.answer) showAnswer();
  const { global_batch, ...cond } = state.cond;
  const batches = sweepBatches(last.answer?.batch_per_device);
  const sweep = await call('sweep', 'askAll', batches.map(b => toRequest({ ...state, cond }, known, state.device, { batch: String(b) })));
  if (sweep) put('sweep', sweepSection(sweep, last.answer?.batch_per_device));
}

async function ask() {
  const start = performance.now();
  history.replaceState(null, '', `#${toAddress(state)}`);
  if (state.file && held !== state.file) {
    last.answer = failed(new Error(`this link is about a file named ${state.model} (SHA-256 ${state.file.slice(0, 12)}…), which stays with whoever made the link: drop it here`));
    return showAnswer();
  }
  last.base = null;
  if (state.base) {
    const base = await call('base', 'ask', toRequest(fromAddress(state.base), known));
    if (!base) return;
    last.base = base;
  }
  const answer = await call('answer', 'ask', { ...toRequest(state, known), explain: true }).catch(failed);
  if (!answer) return;
  last.answer = answer;
  showAnswer();
  $('said').textContent = answer.error ? answer.error.message : `${time(answer.step_time_ns.p50)} a step, 90 percent from ${time(answer.step_time_ns.p05)} to ${time(answer.step_time_ns.p95)}`;
  document.body.dataset.answerMs = Math.round(performance.now() - start);
  $('plan').classList.toggle('old', Boolean(planned) && planned !== planWords().join(' '));
  await Promise.all([askMine(), askDetails(), askAround()]);
  document.body.dataset.allMs = Math.round(performance.now() - start);
  document.body.dataset.settled = state.model;
}

let timer;
function changed() {
  delete document.body.dataset.settled;
  clearTimeout(timer);
  timer = setTimeout(() => ask().catch(error => { last.answer = failed(error); showAnswer(); }), 25);
}

/* --- Files --- */

async function takeFile(file) {
  const isOnnx = /\.onnx$/i.test(file.name);
  put('model-note', `Reading ${escape(file.name)}…`);
  try {
    const bytes = isOnnx && file.size > SMALL_FILE_BYTES ? await withoutWeights(file) : new Uint8Array(await file.arrayBuffer());
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    held = [...digest].map(b => b.toString(16).padStart(2, '0')).join('');
    await call(`hold ${held}`, 'hold', file.name, bytes);
    Object.assign(state, { model: file.name, file: held });
    $('model').value = file.name;
    put('model-note', `${escape(file.name)}: read here, sent nowhere. SHA-256 ${held.slice(0, 12)}…`);
    changed();
  } catch (error) {
    put('model-note', `<span class="bad">${escape(file.name)}: ${escape(error.message)}</span>`);
  }
}

/* --- Saving --- */

function withColours(svg) { // an SVG that stands alone
  const style = getComputedStyle(document.documentElement);
  const copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute('viewBox').split(' ');
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  return new XMLSerializer().serializeToString(copy).replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim())
    .replace(/<svg([^>]*)>/, `<svg$1><rect width="100%" height="100%" fill="${style.getPropertyValue('--ground').trim()}"/>`);
}

function save(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function savePicture(figure, kind) {
  const text = withColours(figure.querySelector('svg')), blob = new Blob([text], { type: 'image/svg+xml' }), name = `epochcast-${figure.dataset.name}`;
  if (kind === 'svg') return save(blob, `${name}.svg`);
  const image = new Image();
  image.onload = () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(png => save(png, `${name}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

function saveTable(element) {
  const cell = c => { const input = c.querySelector('input'); const t = input ? (input.type === 'checkbox' ? String(input.checked) : input.value) : c.textContent.trim(); return /[",\n]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t; };
  save(new Blob([[...element.rows].map(r => [...r.cells].map(cell).join(',')).join('\r\n') + '\r\n'], { type: 'text/csv' }), 'epochcast.csv');
}

/* --- What a person does --- */

function planWords() {
  const job = ['dataset', 'samples', 'tokens', 'epochs'].filter(n => state.cond[n]).flatMap(n => [`--${n}`, state.cond[n]]);
  const kept = ['framework', 'optimizer', 'seq_len', 'image', 'layout', 'global_batch'].filter(n => state.cond[n]).flatMap(n => [`--${n.replaceAll('_', '-')}`, state.cond[n]]);
  const keys = $('plan-devices').value.split(/[\s,]+/).filter(Boolean), deadline = $('deadline').value.trim();
  const prices = keys.every(k => priceOf(k).usd) ? ['--prices', keys.map(k => `${k}=${priceOf(k).usd}`).join(',')] : [];
  return ['plan', state.model, '--device', keys.join(','), '--devices', $('plan-counts').value, ...job, ...kept, ...prices, ...(deadline ? ['--deadline', deadline] : [])];
}

async function plan() {
  if (!['dataset', 'samples', 'tokens'].some(n => state.cond[n])) return put('plan', '<p class="bad">How large is the job? Set a data set, samples or tokens above.</p>');
  Object.assign(state, { plan: $('plan-devices').value.trim(), counts: $('plan-counts').value.trim(), deadline: $('deadline').value.trim() });
  history.replaceState(null, '', `#${toAddress(state)}`);
  put('plan', '<p class="quiet">Searching…</p>');
  const words = planWords();
  try {
    const text = await call('plan', 'run', [...words, '--json']);
    if (!text) return;
    put('plan', planSection(JSON.parse(text)));
  } catch (error) { put('plan', `<p class="bad">${escape(error.message)}</p>`); }
  planned = words.join(' ');
  $('plan').classList.remove('old');
}

const copy = (button, text) => navigator.clipboard.writeText(text).then(() => { const old = button.textContent; button.textContent = 'Copied'; setTimeout(() => { button.textContent = old; }, 1200); });

function clicked(event) {
  const target = event.target.closest('button, [data-batch]'), d = target?.dataset;
  if (!target) return;
  if (d.batch) setCondition('batch', d.batch);
  else if (d.device) { state.device = d.device; $('device').value = d.device; }
  else if (known.options.has(d.option?.replaceAll('-', '_'))) setCondition(d.option.replaceAll('-', '_'), d.value);
  else if (d.option) { state.model = target.textContent.split(': ')[0]; $('model').value = state.model; } // gpt2:vocab=50304
  else if (d.jump) return $(d.jump).focus(); // there are hundreds of controls between the parts
  else if (d.save === 'csv') return saveTable(target.closest('.numbers, section').querySelector('table'));
  else if (d.save) return savePicture(target.closest('figure'), d.save);
  else if ('copy' in d) return void copy(target, target.closest('h3').nextElementSibling.textContent);
  else if (d.plan) return void takePlan(d.plan);
  else if (target.id === 'keep') state.base = toAddress({ ...state, base: '' });
  else if (target.id === 'drop-base') state.base = '';
  else if (target.id === 'copy-link') return void copy(target, location.href);
  else if (target.id === 'make-plan') return void plan();
  else if (target.id === 'take-paste') return void takeFile(new File([$('paste').value], 'config.json'));
  else if (target.id === 'scheme') return switchScheme();
  else return;
  changed();
}

async function takeDevices() { // of several, those behind the first are pinned: they stand beside it
  const [first, ...others] = state.device.split(',').map(name => name.trim()).filter(Boolean);
  const answers = others.length ? await call('names', 'askAll', others.map(name => toRequest(state, known, name))) : [];
  if (!answers) return;
  const refused = answers.find(a => a.error);
  if (refused) {
    last.answer = refused;
    return showAnswer();
  }
  if (others.length) {
    state.device = $('device').value = first;
    state.pins = [...new Set([...state.pins, ...answers.map(a => a.device)])];
    $('plan-devices').value = [first, ...answers.map(a => a.device)].join(',');
  }
  changed();
}

function takePlan(command) { // "epochcast predict MODEL --device D --batch N ..."
  const words = command.split(' ');
  for (let i = 3; i + 1 < words.length; i += 2) {
    const name = words[i].replace(/^--/, '').replaceAll('-', '_');
    if (name === 'device') { state.device = words[i + 1]; $('device').value = state.device; }
    else setCondition(name, words[i + 1]);
  }
  planned = planWords().join(' '); // taken, it is no older
  changed();
  $('answer').scrollIntoView({ block: 'start' });
}

function switchScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches, now = document.documentElement.dataset.scheme ?? (dark ? 'dark' : 'light');
  document.documentElement.dataset.scheme = now === 'dark' ? 'light' : 'dark';
}

function edited({ target }) {
  const d = target.dataset;
  if (d.name) setCondition(d.name, target.value.trim());
  else if (d.pin) state.pins = target.checked ? [...state.pins, d.pin] : state.pins.filter(k => k !== d.pin);
  else if (d.price) { if (target.value) state.prices[d.price] = target.value; else delete state.prices[d.price]; }
  else if (target.id === 'model') Object.assign(state, { model: target.value.trim(), file: target.value.trim() === state.model ? state.file : '' });
  else if (target.id === 'file') return void (target.files[0] && takeFile(target.files[0]));
  else if (['filter', 'sort', 'by-block', 'only-fits', 'measured', 'device'].includes(target.id)) {
    const key = { 'by-block': 'block', 'only-fits': 'fits' }[target.id] ?? target.id;
    state[key] = target.type === 'checkbox' ? (target.checked ? '1' : '') : target.value.trim();
    if (target.id === 'device') return void takeDevices();
    history.replaceState(null, '', `#${toAddress(state)}`);
    if (target.id === 'measured') return void askMine();
    return target.id === 'by-block' ? showLayers() : showDevices();
  } else return;
  changed();
}

function listen() {
  document.addEventListener('click', clicked);
  document.addEventListener('change', edited);
  document.addEventListener('input', event => { if (['filter', 'measured'].includes(event.target.id) || event.target.dataset.name === 'batch') edited(event); });
  $('ask').addEventListener('submit', event => event.preventDefault());
  addEventListener('hashchange', () => { state = fromAddress(location.hash); showForm(); changed(); if (state.plan) void plan(); });
  for (const name of ['dragover', 'drop']) document.addEventListener(name, event => {
    event.preventDefault();
    if (name === 'drop' && event.dataTransfer.files[0]) void takeFile(event.dataTransfer.files[0]);
  });
}

async function begin() {
  const start = performance.now();
  await startWorker();
  const [options, list, zoo] = await Promise.all([call('options', 'options'), call('list', 'run', ['device', 'list', '--json']), call('zoo', 'run', ['model', '--list', '--json'])]);
  for (const o of options.predict) if (o.query) known.options.set(o.name, o);
  devices = JSON.parse(list).devices;
  networks = JSON.parse(zoo).models;
  known.prices = readPrices($('prices').textContent);
  known.kinds = JSON.parse($('accuracy').textContent);
  put('model-note', `One of ${whole(networks.length)} built-in names, or a file:`);
  put('sort', orders.map(([key, label]) => `<option value="${key}">${label}</option>`).join(''));
  state = fromAddress(location.hash);
  put('jump', [...document.querySelectorAll('h2[id]')].map(h => `<button type="button" class="plain" data-jump="${h.id}">${h.textContent}</button>`).join(' '));
  showForm();
  listen();
  document.body.dataset.readyMs = Math.round(performance.now() - start);
  const answered = ask();
  put('networks', networks.map(n => `<option value="${escape(n)}">`).join(''));
  put('device-keys', devices.map(d => `<option value="${escape(d.key)}">${escape(d.name)}</option>`).join(''));
  await answered;
  if (state.plan) await plan();
}

begin().catch(error => put('answer', `<p class="bad">The page cannot start: ${escape(error.message)}</p>`));
