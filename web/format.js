// Numbers as people read them: three digits and a unit. Everything here is a pure function.

function digits(v) {
  if (v === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(Number(v.toPrecision(3)))));
  return size >= 3 ? Math.round(v).toLocaleString('en-US') : v.toFixed(Math.max(0, 2 - size));
}

function scaled(v, steps) { // steps: [factor, unit], the largest first
  const [factor, unit] = steps.find(([f]) => Math.abs(v) >= f * 0.9995) ?? steps.at(-1);
  return `${digits(v / factor)} ${unit}`;
}

const TIMES = [[86400e9 * 2, 'd', 86400e9], [3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const SIZES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];
const COUNTS = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];

export const isKnown = v => typeof v === 'number' && Number.isFinite(v);

export function time(ns) {
  if (!isKnown(ns)) return 'unknown';
  const [from, unit, factor] = TIMES.find(([f]) => ns >= f * 0.9995) ?? TIMES.at(-1);
  return `${digits(ns / (factor ?? from))} ${unit}`;
}
export const bytes = v => isKnown(v) ? scaled(v, SIZES) : 'unknown';
export const count = v => isKnown(v) ? digits(v) : 'unknown';
/** Of what is counted: "64", never "64.0". */
export const whole = v => isKnown(v) ? Math.round(v).toLocaleString('en-US') : 'unknown';
export const rate = (v, unit) => isKnown(v) ? scaled(v, COUNTS).trimEnd() + unit : 'unknown';
export const usd = v => isKnown(v) ? `$${digits(v)}` : 'unknown';
export const percent = v => isKnown(v) ? `${digits(100 * v)} %` : 'unknown';

/** "36.7 to 55.3 ms", "922 ms to 1.65 s" */
export function range(interval, as) {
  const low = as(interval.p05), high = as(interval.p95), unit = / \S+$/.exec(high)?.[0];
  return `${unit && low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}

/** Text inside HTML and attributes. */
export const escape = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
