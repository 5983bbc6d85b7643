// The parts of the page: pure functions from answers to HTML. No part shows a lone number: intervals, or what it rests on.
import { bytes, count, escape, isKnown, percent, range, rate, time, usd, whole } from './format.js';
import { intervalBar, planChart, rooflineChart, stackedBars, sweepChart } from './charts.js';

const refusal = error => `<p class="bad"><strong>Not predicted:</strong> ${escape(error.message ?? error)}</p>`;
// roles are said, because style.css lays out rows as grids where the window is narrow
const row = (cells, tag = 'td') => `<tr role="row">${cells.map((c, i) => i === 0 && tag === 'td' ? `<th scope="row" role="rowheader">${c}</th>` : `<${tag} ${tag === 'th' ? 'scope="col" role="columnheader"' : 'role="cell"'}>${c}</${tag}>`).join('')}</tr>`;
export const table = (caption, head, rows) => `<table role="table"><caption>${escape(caption)}</caption><thead role="rowgroup">${row(head.map(escape), 'th')}</thead><tbody role="rowgroup">${rows.map(cells => row(cells)).join('')}</tbody></table>`;
const wide = (html, label) => `<div class="scroll" tabindex="0" role="region" aria-label="${escape(label)}">${html}</div>`;
const numbers = (caption, head, rows) => `<details class="numbers"><summary>Numbers</summary><button type="button" class="plain" data-save="csv">CSV</button>${wide(table(caption, head, rows), caption)}</details>`;
const picture = (name, svg) => `<figure data-name="${name}">${svg}<figcaption><button type="button" class="plain" data-save="svg">SVG</button> <button type="button" class="plain" data-save="png">PNG</button></figcaption></figure>`;
const fact = (label, value, note = '', more = '') => `<div class="fact${more}"><dt>${escape(label)}</dt><dd><b>${value}</b>${note ? ` <span class="quiet">${note}</span>` : ''}</dd></div>`;
const BASIS = { measured: 'measured: this device, under these conditions', related: 'related: this device under other conditions, or its architecture',
  specification: 'specification: nothing near it was measured', calibrated: 'calibrated by a profile of the device' };

const NO_LAYERS = 'Layers are shown where a device has the whole network.';

function fitsText(a, capacity) {
  if (!isKnown(a.fits_probability)) return '';
  const p = a.fits_probability, word = p > 0.95 ? 'fits' : p > 0.5 ? 'likely fits' : p > 0.05 ? 'unlikely to fit' : 'does not fit';
  return `<span class="${p > 0.5 ? 'good' : 'bad'}">${word}</span>${capacity ? ` of ${bytes(capacity)}` : ''}`;
}

const against = (a, b, key, as) => b && !b.error && b[key] ? ` · ${(a[key].p50 / b[key].p50).toFixed(2)} times A (${as(b[key].p50)})` : '';
const asked = a => `${a.model} on ${a.devices > 1 ? `${a.devices} × ` : ''}${a.device}, batch ${a.batch}, ${a.precision}`;

/* What would fit; of a job that shares more than the batch, the changes with which it does. */
function roomText(room) {
  if (!room) return '';
  if ('batch' in room)
    return `<li>largest batch that fits: ${room.batch || 'none'}${room.batch_recompute ? `; with recompute ${room.batch_recompute}` : ''}${room.batch_amp ? `; with amp ${room.batch_amp}` : ''}</li>`;
  const ways = Object.keys(room).map(key => key === 'device' ? `on ${room.device}` : `with ${key.replaceAll('_', ' ')}`);
  return `<li>${ways.length ? `this batch fits ${ways.join(', or ')}` : 'nothing as asked; a plan looks for how many devices hold it'}</li>`;
}

/** The kinds of question that an answer belongs to. deviceKind: "gpu", "cpu" or another; kinds: of accuracy.json */
export function kindsOf(a, deviceKind, kinds) {
  const device = ['gpu', 'cpu'].includes(deviceKind) ? deviceKind : 'accelerator', named = a.host && a.host !== 'reference';
  const measured = device === 'gpu' && named ? 'gpu measured, host named' : `${device} measured`;
  const wanted = a.shared ? ['shared'] : { measured: [measured], calibrated: [measured], related: [measured, `${device} unmeasured`] }[a.basis] ?? [`${device} unmeasured`];
  if (a.devices > 1 && !a.shared) wanted.push(a.machines > 1 ? 'machines' : 'several');
  if (a.memory_peak_bytes && device === 'gpu') wanted.push('memory');
  return kinds.filter(k => wanted.includes(k.kind));
}

function accuracyPart(a, deviceKind, kinds) {
  const picked = kindsOf(a, deviceKind, kinds), share = v => isKnown(v) ? percent(v) : '', names = [...new Set(picked.flatMap(k => k.tables))];
  if (!picked.length) return '';
  return `<details><summary>How well answers of this kind hold: half are off by less than ${percent(picked[0].median_frac)}</summary>
<div class="words">${wide(table('Against measurements that the fit had not seen', ['Prediction for', 'Half are off by less than', 'Nine of ten by less than', 'In the 90 % interval', 'Rows', 'Predicted'],
    picked.map(k => [escape(k.text), share(k.median_frac), share(k.p90_frac), share(k.inside_frac), whole(k.rows), escape(k.method)])), 'Accuracy')}</div>
${a.basis === 'related' && !a.shared ? '<p class="quiet">Measurements near this answer, but none of its very conditions: expect an error between the first two.</p>' : ''}${names.length ? `<p class="quiet">Medians over the public tables and campaigns: ${escape(names.join('; '))}. docs/accuracy.md has each.</p>` : ''}</details>`;
}

/** a: an answer with advice; base: that of configuration A, or null; deviceKind, kinds: of kindsOf */
export function answerCard(a, { base, capacity, label, deviceKind, kinds = [] }) {
  if (a.error) return `<h2>Answer</h2>${refusal(a.error)}`;
  const interval = (key, name, as) => a[key] ? fact(name, as(a[key].p50), `${range(a[key], as)}${against(a, base, key, as)}`) : '';
  const advice = (a.advice ?? []).map(h => `<li><button type="button" class="plain" data-option="${escape(h.option)}" data-value="${escape(h.value)}">${escape(h.text.replace(/^--/, ''))}</button></li>`);
  const room = roomText(a.room);
  const stages = (a.explanation?.stages ?? []).map(s => `<li><b>${escape(s.stage)}</b>${isKnown(s.step_ns) ? ` ${time(s.step_ns)}` : ''}: ${escape(s.text)}</li>`);
  return `<h2>Answer <span class="quiet">${escape(label)}</span></h2>
<p class="headline"><b>${a.guess ? 'not known' : time(a.step_time_ns.p50)}</b> a step <span class="quiet">90 %: ${range(a.step_time_ns, time)}${against(a, base, 'step_time_ns', time)}</span></p>
${base ? `<p class="quiet">A: ${base.error ? escape(base.error.message) : escape(asked(base))}</p>` : ''}
${a.guess ? '<p class="bad">The interval is so wide that its median says little.</p>' : ''}${picture('step', intervalBar(a.step_time_ns, time))}
<dl class="facts">${interval('samples_per_s', 'samples/s', count)}${interval('tokens_per_s', 'tokens/s', count)}${interval('epoch_time_ns', 'epoch', time)}${interval('job_time_ns', 'job', time)}${interval('cost_usd', 'cost', usd)}${a.memory_peak_bytes ? fact('peak memory', bytes(a.memory_peak_bytes.p50), `${range(a.memory_peak_bytes, bytes)} · ${fitsText(a, capacity)}${against(a, base, 'memory_peak_bytes', bytes)}`) : ''}${interval('board_power_w', 'power of a board', v => `${count(v)} W`)}${a.scaling_efficiency?.p50 ? interval('scaling_efficiency', 'scaling', percent) : ''}
${fact('limited by', escape(a.limit))}${fact('rests on', escape(BASIS[a.basis] ?? a.basis), escape(a.evidence), ' long')}</dl>
${a.warnings.length ? `<ul class="warnings">${a.warnings.map(w => `<li>${escape(w)}</li>`).join('')}</ul>` : ''}
${advice.length || room ? `<h3>What would help</h3><ul>${room}${advice.join('')}</ul>` : ''}
<details><summary>Why?</summary>${a.weakest ? `<p>The weakest part: ${escape(a.weakest)}.</p>` : ''}<ol class="why">${stages.join('')}</ol></details>
${accuracyPart(a, deviceKind, kinds)}
<p class="tools"><button type="button" id="keep">${base ? 'Compare with this instead' : 'Keep as A, to compare with'}</button>${base ? ' <button type="button" id="drop-base">End the comparison</button>' : ''} <button type="button" id="copy-link">Copy link</button></p>`;
}

/** What a measured step says of the prediction. scaled: answers for more devices by it, [] */
export function mineSection(a, measuredNs, scaled) {
  if (!a || a.error || !isKnown(measuredNs) || measuredNs <= 0) return '<p class="quiet">Type the time of a step of your own run to see how far the prediction is off, and what follows for the job.</p>';
  const factor = measuredNs / a.step_time_ns.p50, inside = measuredNs >= a.step_time_ns.p05 && measuredNs <= a.step_time_ns.p95;
  const off = factor >= 1 ? `${percent(factor - 1)} slower` : `${percent(1 - factor)} faster`;
  const job = ['epoch_time_ns', 'job_time_ns'].filter(k => a[k]).map(k => `${k === 'job_time_ns' ? 'job' : 'epoch'} ${time(a[k].p50 * factor)}`);
  if (a.cost_usd) job.push(`cost ${usd(a.cost_usd.p50 * factor)}`);
  return `<p><b>Your run is ${off}</b> than the median, ${inside ? 'inside' : '<span class="bad">outside</span>'} the 90 % interval. ${count(a.batch / measuredNs * 1e9)} samples/s.</p>${picture('measured', intervalBar(a.step_time_ns, time, measuredNs))}
${job.length ? `<p>If all steps take as long: ${job.join(', ')}.</p>` : ''}${scaled.length ? wide(table('On other numbers of devices, from your measured step', ['Devices', 'Step', '90 %', 'Samples/s'],
    scaled.map(s => s.error ? [whole(s.asked), escape(s.error.message), '', ''] : [whole(s.devices), time(s.step_time_ns.p50), range(s.step_time_ns, time), count(s.samples_per_s.p50)])), 'From your step') : ''}`;
}

export function timeParts(a) {
  const p = a.parts, step = a.step_time_ns.p50;
  const parts = [['forward', p.forward_ns], ['backward', p.backward_ns], ['update', p.update_ns], ['launches', p.launch_ns],
    ['communication', (p.exposed_communication_ns ?? 0) + (p.wait_ns ?? 0)]].map(([name, value]) => ({ name, value: Math.max(0, value ?? 0) }));
  const sum = parts.reduce((s, x) => s + x.value, 0);
  return [...parts, { name: 'host, input and rest', value: Math.max(0, step - sum) }];
}

export function memoryParts(a) {
  const p = a.parts;
  return [['weights', p.weights_bytes], ['gradients', p.gradients_bytes], ['optimizer', p.optimizer_bytes], ['activations', p.activations_bytes], ['overhead', p.overhead_bytes]]
    .map(([name, value]) => ({ name, value: Math.max(0, value ?? 0) }));
}

function stacked(name, answers, partsOf, as, key, limitOf, caption) {
  const good = answers.filter(a => !a.error && a[key]);
  if (!good.length) return '<p class="quiet">No device answers.</p>';
  const rows = good.map(a => ({ label: a.device, parts: partsOf(a), limit: limitOf(a), low: a[key].p05, high: a[key].p95, note: `${as(a[key].p50)}, ${range(a[key], as)}` }));
  return picture(name, stackedBars(rows, as, caption)) + numbers(caption, ['Device', ...rows[0].parts.map(p => p.name), 'sum', '90 %'],
    rows.map((r, i) => [escape(r.label), ...r.parts.map(p => as(p.value)), as(good[i][key].p50), range(good[i][key], as)]));
}
export const timeSection = answers => stacked('time', answers, timeParts, time, 'step_time_ns', () => 0, 'Parts of the median step');
export const memorySection = (answers, capacityOf) => stacked('memory', answers, memoryParts, bytes, 'memory_peak_bytes', a => capacityOf(a.device), 'Parts of the peak memory of a device, and its limit');

export function sweepSection(answers, asked) {
  const points = answers.filter(a => !a.error).map(a => ({ ...a.samples_per_s, batch: a.batch_per_device, fits: !(a.fits === false), a }));
  const best = points.filter(p => p.fits).at(-1), errors = answers.filter(a => a.error);
  if (points.length < 2) return errors.length ? refusal(errors[0].error) : '<p class="quiet">Nothing to show.</p>';
  return picture('batch', sweepChart(points, asked, 'samples/s')) + `<p class="quiet">Click a point to set the batch${best ? `, or take <button type="button" class="plain" data-batch="max">the largest that fits</button> (${whole(best.batch)} or more).` : '. None of them fits.'}</p>`
    + numbers('Throughput by batch', ['Batch', 'Samples/s', '90 %', 'Step', 'Peak memory', 'Fits'], points.map(p => [`<button type="button" class="plain" data-batch="${p.batch}">${whole(p.batch)}</button>`, count(p.p50), range(p, count), time(p.a.step_time_ns.p50), p.a.memory_peak_bytes ? bytes(p.a.memory_peak_bytes.p50) : '', p.fits ? 'yes' : 'no']));
}

/** layers: of predict; work: of model, with FLOP and bytes; device: a row of the catalogue */
export function rooflineSection(layers, work, device, precision) {
  const key = { amp: 'fp16_tensor_flop_per_s', fp16: 'fp16_tensor_flop_per_s', bf16: 'bf16_tensor_flop_per_s', tf32: 'tf32_tensor_flop_per_s' }[precision];
  const peak = device?.[key] ?? device?.fp32_matrix_flop_per_s ?? device?.fp32_flop_per_s, speed = device?.memory_bytes_per_s;
  const known = new Map((work ?? []).map(l => [l.layer, l]));
  const points = [];
  for (const l of layers ?? []) {
    const w = known.get(l.layer);
    for (const phase of ['forward', 'backward'])
      if (w?.[`${phase}_flop`] > 0 && w[`${phase}_bytes`] > 0 && l[`${phase}_ns`] > 0)
        points.push({ name: l.layer, phase, flop: w[`${phase}_flop`], bytes: w[`${phase}_bytes`], ns: l[`${phase}_ns`] });
  }
  points.sort((a, b) => b.ns - a.ns);
  const shown = points.slice(0, 120);
  if (!shown.length || !isKnown(peak) || !isKnown(speed)) return `<p class="quiet">${shown.length ? 'The rates of this device are not known.' : NO_LAYERS}</p>`;
  return picture('roofline', rooflineChart(shown, peak, speed)) + `<p class="quiet">Predicted rate of each layer; a larger mark takes longer.${points.length > shown.length ? ` The ${shown.length} longest of ${points.length}.` : ''} Some kernels are faster than the direct count of FLOP allows, by other algorithms.</p>`
    + numbers('Layers under the roof', ['Layer', 'Phase', 'FLOP/byte', 'FLOP/s', 'Time'], shown.slice(0, 40).map(p => [escape(p.name), p.phase, count(p.flop / p.bytes), rate(p.flop / p.ns * 1e9, ''), time(p.ns)]));
}

const ORDERS = { step: ['time of a step', a => a.step_time_ns.p50], cost: ['cost', a => a.cost_usd?.p50 ?? Infinity], memory: ['peak memory', a => a.memory_peak_bytes?.p50 ?? Infinity],
  year: ['year, newest first', (a, d) => -d.launch_year], name: ['name', (a, d) => d.name] };
export const orders = Object.entries(ORDERS).map(([key, [label]]) => [key, label]);

export function filterDevices(devices, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return devices.filter(d => wanted.every(w => `${d.key} ${d.name} ${d.vendor} ${d.arch} ${d.kind} ${d.launch_year}`.toLowerCase().includes(w)));
}

/** answers: by key of the device; prices: by key, { usd, title } */
export function devicesSection(devices, answers, { sort, pins, chosen, onlyFits, prices }) {
  const order = ORDERS[sort]?.[1] ?? ORDERS.step[1], value = d => answers.get(d.key);
  const good = devices.filter(d => value(d) && !value(d).error && (!onlyFits || value(d).fits !== false)), bad = devices.filter(d => value(d)?.error);
  const key = d => value(d).guess && sort === 'step' ? Infinity : order(value(d), d), onTop = d => 2 * (d.key === chosen) + pins.includes(d.key);
  good.sort((a, b) => onTop(b) - onTop(a) || (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  const rows = good.map(d => {
    const a = value(d), price = prices(d.key), n = escape(d.key);
    return [`<button type="button" class="plain${d.key === chosen ? ' chosen' : ''}" data-device="${n}"${d.key === chosen ? ' aria-current="true"' : ''}>${escape(d.name)}</button>`,
      `<input type="checkbox" data-pin="${n}" aria-label="pin ${n}"${pins.includes(d.key) ? ' checked' : ''}>`, a.guess ? 'not known' : time(a.step_time_ns.p50), range(a.step_time_ns, time), a.guess ? '' : count(a.samples_per_s.p50),
      a.memory_peak_bytes ? bytes(a.memory_peak_bytes.p50) : '', fitsText(a), `<input type="number" min="0" step="any" data-price="${n}" aria-label="USD an hour of ${n}" title="${escape(price.title)}" value="${price.usd ?? ''}">`,
      a.cost_usd ? `${a.guess ? '' : `${usd(a.cost_usd.p50)} <br>`}<span class="quiet">${range(a.cost_usd, usd)}</span>` : '', escape(a.basis), d.launch_year ?? ''];
  });
  return table(`${good.length} of ${devices.length} devices`, ['Device', 'Pin', 'Step', '90 %', 'Samples/s', 'Peak memory', 'Fits', 'USD/h', 'Cost', 'Rests on', 'Year'], rows)
    + (bad.length ? `<details><summary>${bad.length} refused</summary><ul>${bad.map(d => `<li><b>${escape(d.name)}</b>: ${escape(value(d).error.message)}</li>`).join('')}</ul></details>` : '');
}

const blockOf = name => { const parts = name.split(/[./]/); return parts.length > 1 ? parts.slice(0, -1).join('.') : name; };

export function layersSection(layers, byBlock) {
  if (!layers?.length) return `<p class="quiet">${NO_LAYERS}</p>`;
  let rows = layers;
  if (byBlock) {
    const blocks = new Map();
    for (const l of layers) {
      const name = blockOf(l.layer), b = blocks.get(name) ?? { layer: name, n: 0, op: '', forward_ns: 0, backward_ns: 0, update_ns: 0, flop: 0, limit: '' };
      for (const k of ['forward_ns', 'backward_ns', 'update_ns', 'flop']) b[k] += l[k];
      b.op = `${++b.n} layers`;
      blocks.set(name, b);
    }
    rows = [...blocks.values()];
  }
  const sum = l => l.forward_ns + l.backward_ns + l.update_ns, total = rows.reduce((s, l) => s + sum(l), 0), most = Math.max(...rows.map(sum));
  return table(`${rows.length} ${byBlock ? 'blocks' : 'layers'}, median times`, ['Layer', 'Operator', 'Forward', 'Backward', 'Update', 'Share', 'FLOP', 'Bound'],
    [...rows].sort((a, b) => sum(b) - sum(a)).map(l => [escape(l.layer), escape(l.op), time(l.forward_ns), time(l.backward_ns), time(l.update_ns),
      `<meter min="0" max="1" value="${(sum(l) / most).toFixed(4)}" aria-label="time against the longest"></meter> ${percent(sum(l) / total)}`, rate(l.flop, ''), escape(l.limit)]));
}

const reasons = p => [p.best && `best ${p.best.replace('expected', 'by the median')}`, p.why, p.within_limits_probability < 0.995 && `${percent(p.within_limits_probability)} within the limits`].filter(Boolean).join('; ');

export function planSection(plan) {
  if (!plan.plans.length) return '<p>No plan is within the limits.</p>';
  return `${picture('plan', planChart(plan.plans))}<p class="quiet">${plan.possible} configurations are possible, ${plan.predicted} predicted, ${plan.ruled_out_by_memory} ruled out by memory, ${plan.ruled_out_by_time} by time, ${plan.refused} refused.</p>`
    + wide(table('Best plans', ['#', 'Devices', 'Shared by', 'Batch of all', 'Precision', 'Job', '90 %', 'Cost', 'Memory', 'Why'], plan.plans.map((p, i) => [i + 1, `<button type="button" class="plain" data-plan="${escape(p.command)}">${p.devices} × ${escape(p.device)}</button>`,
      escape(p.how), whole(p.batch), escape(p.precision), time(p.time_ns), range({ p05: p.time_p05_ns, p95: p.time_p95_ns }, time),
      p.cost_usd === null ? `${count(p.device_hours)} device-hours` : `${usd(p.cost_usd)} <br><span class="quiet">${range({ p05: p.cost_p05_usd, p95: p.cost_p95_usd }, usd)}</span>`, bytes(p.memory_peak_bytes), escape(reasons(p))])), 'Table of plans');
}

export function sameSection(command, python, request) {
  const block = (title, text) => `<h3>${title} <button type="button" class="plain" data-copy>Copy</button></h3><pre tabindex="0"><code>${escape(text)}</code></pre>`;
  return block('Command', command) + block('Python', python) + block('Request, a line for epochcast predict --requests', request);
}
