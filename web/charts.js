// Pictures from numbers: pure functions from data to the text of an SVG. Colours are variables of the style sheet, so that
// both schemes and print have their own; a saved picture gets their values.
import { escape, rate, time, whole } from './format.js';

let W = 560; // of a picture, in its own units: letters have the size of the page's where it is as wide
export const setWidth = pixels => { W = Math.min(560, Math.max(280, Math.round(pixels))); };
const color = i => `var(--c${i % 6})`;
const text = (x, y, s, more = '') => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="var(--ink)" font-size="11" ${more}>${escape(s)}</text>`;
const rule = (x1, y1, x2, y2, more = '', stroke = 'var(--line)') =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${stroke}" ${more}/>`;
const box = (x, y, w, h, fill, title = '', more = '') =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(0, w).toFixed(1)}" height="${h.toFixed(1)}" fill="${fill}" ${more}>${title ? `<title>${escape(title)}</title>` : ''}</rect>`;
const short = v => Number(v.toPrecision(3)).toLocaleString('en-US'); // of ticks, which are round
const shortRate = v => rate(v, '').replace(/(\.\d*?)0+(?=\D*$)/, '$1').replace(/\.(?=\D*$)/, '');
const svg = (height, label, parts) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${W} ${height}" width="${W}" role="img" aria-label="${escape(label)}" font-family="system-ui, sans-serif">${parts.join('')}</svg>`;

/** Powers of ten, and of the steps between them where the range is short. */
export function logTicks(low, high) {
  const ticks = [], range = Math.log10(high / low);
  const steps = range > 2.5 ? [1] : range > 0.7 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
    for (const step of steps) if (step * 10 ** p >= low * 0.999 && step * 10 ** p <= high * 1.001) ticks.push(step * 10 ** p);
  return ticks;
}

export function linearTicks(high, n = 5) {
  const step = high / n, power = 10 ** Math.floor(Math.log10(step || 1));
  const nice = [1, 2, 5, 10].map(f => f * power).find(s => s >= step) ?? 1;
  return Array.from({ length: Math.floor(high / nice + 1e-9) + 1 }, (_, i) => i * nice);
}

const log = (v, low, high) => (Math.log(v) - Math.log(low)) / (Math.log(high) - Math.log(low) || 1);

/** Median and bounds on one line; a mark for what was measured. */
export function intervalBar(interval, as, measured) {
  const values = [interval.p05, interval.p95, ...(measured ? [measured] : [])];
  const low = Math.min(...values) / 1.15, high = Math.max(...values) * 1.15, x = v => 8 + (W - 16) * log(v, low, high);
  const parts = [rule(8, 15, W - 8, 15), box(x(interval.p05), 8, x(interval.p95) - x(interval.p05), 14, 'var(--soft)', '90 % interval', 'rx="3"'),
    box(x(interval.p50) - 2, 4, 4, 22, 'var(--accent)', `median ${as(interval.p50)}`),
    text(x(interval.p05), 38, as(interval.p05)), text(x(interval.p95), 38, as(interval.p95), 'text-anchor="end"')];
  if (measured) parts.push(`<path d="M${x(measured).toFixed(1)} 9 l-5 -8 h10 z" fill="var(--ink)"><title>measured ${escape(as(measured))}</title></path>`);
  return svg(42, `${as(interval.p50)}, 90 % interval ${as(interval.p05)} to ${as(interval.p95)}`, parts);
}

/** Rows of parts beside each other: rows [{ label, parts: [{ name, value }], limit, low, high }]; low, high: the interval of the sum */
export function stackedBars(rows, as, label) {
  const left = 8, height = 44, most = Math.max(...rows.map(r => Math.max(r.limit && r.limit < 4 * (r.high ?? 0) ? r.limit : 0, r.high ?? 0, ...[r.parts.reduce((s, p) => s + p.value, 0)])), 1e-9);
  const x = v => left + (W - 16) * v / most, parts = [];
  rows.forEach((row, i) => {
    const y = i * height, whole = row.note ?? '', note = 7 * row.label.length + 6.2 * whole.length > W - 16 ? whole.split(', ').at(-1) : whole;
    parts.push(text(left, y + 12, row.label, 'font-weight="600"'), text(W - 8, y + 12, note, 'text-anchor="end"'));
    let at = 0;
    row.parts.forEach((p, k) => {
      if (p.value > 0) parts.push(box(x(at), y + 17, x(at + p.value) - x(at) - 0.5, 16, color(k), `${p.name}: ${as(p.value)}`));
      at += p.value;
    });
    if (row.high) parts.push(rule(x(row.low), y + 37, x(row.high), y + 37, 'stroke-width="1.5"', 'var(--ink)'), rule(x(row.low), y + 34.5, x(row.low), y + 39.5, 'stroke-width="1.5"', 'var(--ink)'), rule(x(row.high), y + 34.5, x(row.high), y + 39.5, 'stroke-width="1.5"', 'var(--ink)'));
    if (row.limit && x(row.limit) <= W) parts.push(`<line x1="${x(row.limit).toFixed(1)}" x2="${x(row.limit).toFixed(1)}" y1="${y + 14}" y2="${y + 41}" stroke="var(--bad)" stroke-width="2"><title>limit ${escape(as(row.limit))}</title></line>`);
  });
  const marks = rows[0].parts.map((p, k) => [p.name, (x1, y1) => box(x1, y1 - 9, 10, 10, color(k))]);
  if (rows.some(r => r.high)) marks.push(['90 % of the sum', (x1, y1) => rule(x1, y1 - 4, x1 + 10, y1 - 4, 'stroke-width="1.5"', 'var(--ink)') + rule(x1, y1 - 7, x1, y1 - 1, '', 'var(--ink)') + rule(x1 + 10, y1 - 7, x1 + 10, y1 - 1, '', 'var(--ink)')]);
  if (rows.some(r => r.limit && x(r.limit) <= W)) marks.push(['limit', (x1, y1) => rule(x1 + 5, y1 - 10, x1 + 5, y1 + 2, 'stroke-width="2"', 'var(--bad)')]);
  let x0 = left, y0 = rows.length * height + 14;
  for (const [name, mark] of marks) {
    const width = 22 + 6.2 * name.length;
    if (x0 + width > W) { x0 = left; y0 += 17; }
    parts.push(mark(x0, y0), text(x0 + 14, y0, name));
    x0 += width;
  }
  return svg(y0 + 6, label, parts);
}

function frame(x, y, low, high, bottom, top, xTicks, yTicks, xLabel, yLabel, asX, asY) {
  return [...yTicks.map(v => rule(x(low), y(v), x(high), y(v), 'opacity="0.6"') + text(x(low) - 5, y(v) + 4, asY(v), 'text-anchor="end"')),
    ...xTicks.map(v => rule(x(v), y(bottom), x(v), y(bottom) + 4) + text(x(v), y(bottom) + 16, asX(v), 'text-anchor="middle"')),
    rule(x(low), y(bottom), x(high), y(bottom)), text((x(low) + x(high)) / 2, y(bottom) + 31, xLabel, 'text-anchor="middle"'),
    text(4, 11, yLabel)];
}

/** Throughput by batch with its interval; where it does not fit, dashed. points: [{ batch, p05, p50, p95, fits }] */
export function sweepChart(points, asked, unit) {
  const low = Math.min(...points.map(p => p.batch)), high = Math.max(...points.map(p => p.batch), low + 1);
  const top = Math.max(...points.map(p => p.p95)) * 1.04, H = 240;
  const x = v => 62 + (W - 78) * log(v, low, high), y = v => 22 + (H - 62) * (1 - v / top);
  const line = list => list.map((p, i) => `${i ? 'L' : 'M'}${x(p.batch).toFixed(1)} ${y(p.p50).toFixed(1)}`).join('');
  const fits = points.filter(p => p.fits), last = fits.at(-1), beyond = last ? points.filter(p => p.batch >= last.batch) : points;
  const band = points.map(p => `${x(p.batch).toFixed(1)},${y(p.p95).toFixed(1)}`).concat([...points].reverse().map(p => `${x(p.batch).toFixed(1)},${y(p.p05).toFixed(1)}`));
  const ticks = points.map(p => p.batch).filter(b => Number.isInteger(Math.log2(b))), every = Math.ceil(ticks.length * 45 / (W - 78));
  const parts = [...(last && beyond.length > 1 ? [box(x(last.batch), 22, x(high) - x(last.batch), H - 62, 'var(--shade)', 'does not fit')] : []),
    ...frame(x, y, low, high, 0, top, ticks.filter((b, i) => i % every === 0), linearTicks(top, 4), 'batch of a device', unit, whole, shortRate),
    `<polygon points="${band.join(' ')}" fill="var(--soft)"/>`, `<path d="${line(fits)}" fill="none" stroke="var(--accent)" stroke-width="2"/>`,
    `<path d="${line(beyond)}" fill="none" stroke="var(--accent)" stroke-width="1.5" stroke-dasharray="4 4"/>`,
    ...points.map(p => `<circle cx="${x(p.batch).toFixed(1)}" cy="${y(p.p50).toFixed(1)}" r="${p.batch === asked ? 6 : 3.5}" fill="${p.fits ? 'var(--accent)' : 'var(--ground)'}" stroke="var(--accent)" data-batch="${p.batch}"><title>batch ${p.batch}: ${escape(rate(p.p50, unit))}${p.fits ? '' : ', does not fit'}</title></circle>`),
    ...(last && beyond.length > 1 ? [text(x(high), 14, 'does not fit', 'text-anchor="end"')] : [])];
  return svg(H, `Throughput by batch, ${points.length} batches`, parts);
}

/** points: [{ name, phase, flop, bytes, ns }]; the roof of the data sheet */
export function rooflineChart(points, peakFlop, peakBytes) {
  const all = points.map(p => p.flop / p.bytes), ridge = peakFlop / peakBytes, H = 276, foot = 260;
  const low = Math.min(...all, ridge) / 1.6, high = Math.max(...all, ridge) * 2.5;
  const rates = points.map(p => p.flop / p.ns * 1e9), bottom = Math.min(...rates) / 1.6, top = peakFlop * 1.7;
  const x = v => 62 + (W - 78) * log(v, low, high), y = v => 22 + (foot - 62) * (1 - log(Math.max(v, bottom), bottom, top));
  const longest = Math.max(...points.map(p => p.ns));
  const first = Math.max(low, bottom / peakBytes);
  const parts = [...frame(x, y, low, high, bottom, top, logTicks(low, high), logTicks(bottom, top), 'FLOP per byte', 'FLOP/s', short, shortRate),
    `<path d="M${x(first).toFixed(1)} ${y(first * peakBytes).toFixed(1)}L${x(ridge).toFixed(1)} ${y(peakFlop).toFixed(1)}L${x(high).toFixed(1)} ${y(peakFlop).toFixed(1)}" fill="none" stroke="var(--ink)" stroke-width="1.5"/>`,
    ...points.map(p => {
      const r = 2 + 9 * Math.sqrt(p.ns / longest), cx = x(p.flop / p.bytes), cy = y(p.flop / p.ns * 1e9);
      const title = `<title>${escape(`${p.name}, ${p.phase}: ${rate(p.flop / p.ns * 1e9, 'FLOP/s')}, ${time(p.ns)}`)}</title>`;
      return p.phase === 'forward' ? `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="${r.toFixed(1)}" fill="${color(0)}" opacity="0.6">${title}</circle>`
        : `<rect x="${(cx - r).toFixed(1)}" y="${(cy - r).toFixed(1)}" width="${(2 * r).toFixed(1)}" height="${(2 * r).toFixed(1)}" fill="${color(1)}" opacity="0.6">${title}</rect>`;
    }),
    text(x(high), W < 400 ? 22 : 11, `data sheet: ${rate(peakFlop, 'FLOP/s')}, ${rate(peakBytes, 'B/s')}`, 'text-anchor="end"'),
    `<circle cx="${W - 152}" cy="${H - 9}" r="5" fill="${color(0)}"/>`, text(W - 142, H - 5, 'forward'), box(W - 88, H - 14, 10, 10, color(1)), text(W - 73, H - 5, 'backward')];
  return svg(H, `Roofline: ${points.length} kernels of layers`, parts);
}

/** plans: of `plan --json`; time against money or device-hours, each with its interval of time */
export function planChart(plans) {
  const money = p => p.cost_usd ?? p.device_hours, unit = plans[0].cost_usd === null ? 'device-hours' : 'USD', H = 240;
  const lowX = Math.min(...plans.map(p => p.time_p05_ns)) / 1.2, highX = Math.max(...plans.map(p => p.time_p95_ns)) * 1.2;
  const lowY = Math.min(...plans.map(money)) / 1.3, highY = Math.max(...plans.map(money)) * 1.3;
  const x = v => 62 + (W - 78) * log(v, lowX, highX), y = v => 22 + (H - 62) * (1 - log(v, lowY, highY));
  const parts = [...frame(x, y, lowX, highX, lowY, highY, logTicks(lowX / 3.6e12, highX / 3.6e12).map(v => v * 3.6e12), logTicks(lowY, highY), 'time of the job', unit, v => `${short(v / 3.6e12)} h`, short),
    ...plans.map((p, i) => rule(x(p.time_p05_ns), y(money(p)), x(p.time_p95_ns), y(money(p)), 'stroke-width="3" opacity="0.5"', 'var(--accent)')
      + `<circle cx="${x(p.time_ns).toFixed(1)}" cy="${y(money(p)).toFixed(1)}" r="8" fill="var(--accent)"><title>${escape(`${p.devices} x ${p.device}: ${time(p.time_ns)}`)}</title></circle>`
      + `<text x="${x(p.time_ns).toFixed(1)}" y="${(y(money(p)) + 4).toFixed(1)}" fill="var(--ground)" font-size="11" text-anchor="middle">${i + 1}</text>`)];
  return svg(H, `Plans: time against ${unit}`, parts);
}

