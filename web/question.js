// What is asked: the state of the page, as the part of the address behind '#', and as a question to each of our
// interfaces. Everything here is a pure function; a state is an object of texts:
//   model, device   names          file     SHA-256 of the file behind the model's name
//   cond            conditions that differ from the default, by the name of the option
//   pins            keys of devices that stay on top      prices  own prices, by device
//   base            another state's address, which this one is compared with
//   plan, counts, deadline   what a plan was searched with; plan is empty where none was

export const emptyState = () => ({ model: 'resnet50', device: 'a100-sxm4-40gb', file: '', cond: {}, pins: [], prices: {},
  measured: '', base: '', sort: 'step', filter: '', block: '', fits: '', plan: '', counts: '', deadline: '' });

const PLAIN = ['model', 'device', 'file', 'measured', 'base', 'sort', 'filter', 'block', 'fits', 'plan', 'counts', 'deadline'];

export function toAddress(state) {
  const p = new URLSearchParams();
  const usual = emptyState();
  for (const key of PLAIN) if (state[key] !== usual[key] || key === 'model' || key === 'device') p.set(key, state[key]);
  for (const [name, value] of Object.entries(state.cond)) p.set(`o.${name}`, value);
  for (const [device, price] of Object.entries(state.prices)) p.set(`usd.${device}`, price);
  if (state.pins.length) p.set('pins', state.pins.join(','));
  return p.toString();
}

export function fromAddress(address) {
  const state = emptyState();
  for (const [key, value] of new URLSearchParams(address.replace(/^#/, ''))) {
    if (PLAIN.includes(key)) state[key] = value.slice(0, 4000);
    else if (key === 'pins') state.pins = value.split(',').filter(Boolean).slice(0, 20);
    else if (/^o\.[a-z0-9_]+$/.test(key)) state.cond[key.slice(2)] = value.slice(0, 200);
    else if (/^usd\.[\w.-]+$/.test(key) && Number(value) > 0) state.prices[key.slice(4)] = value;
  }
  return state;
}

/** The value of a condition as JSON has it. option: a row of the table of options */
function typed(option, text) {
  if (option?.type === 'bool') return text === 'true';
  if ((option?.type === 'int' || option?.type === 'float') && text !== '' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

const SIZES_OF_JOB = ['dataset', 'samples', 'tokens', 'steps'];

/** A request of docs/requests.md. known: { options, prices }, maps of the table of options and of usual prices. The price
 * of a device goes in where the size of the job is given. more: further keys, as texts */
export function toRequest(state, known, device = state.device, more = {}) {
  const request = { model: state.model, device };
  const price = state.prices[device] ?? known.prices.get(device)?.usd;
  const cost = price && SIZES_OF_JOB.some(name => state.cond[name]) ? { usd_per_hour: price } : {};
  for (const [name, text] of Object.entries({ ...cost, ...state.cond, ...more }))
    if (known.options.has(name)) request[name] = typed(known.options.get(name), text);
  return request;
}

/** The words of a command line behind `epochcast`. */
export function toWords(state, known, command = 'predict') {
  const words = [command, state.model, '--device', state.device];
  for (const [name, value] of Object.entries(toRequest(state, known))) {
    if (name === 'model' || name === 'device') continue;
    const flag = name.replaceAll('_', '-');
    if (value === true) words.push(`--${flag}`);
    else if (value === false) words.push(`--no-${flag}`);
    else words.push(`--${flag}`, String(value));
  }
  return words;
}

const quoteWord = word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
export const toCommand = (state, known) => ['epochcast', ...toWords(state, known)].map(quoteWord).join(' ');

export function toPython(state, known) {
  const literal = v => typeof v === 'boolean' ? (v ? 'True' : 'False') : JSON.stringify(v);
  const { model, ...rest } = toRequest(state, known);
  const keywords = Object.entries(rest).map(([name, v]) => `${name}=${literal(v)}`);
  return `import epochcast\nprint(epochcast.predict(${[literal(model), ...keywords].join(', ')}))`;
}

/** Batches of a sweep: powers of two with one step between, around what is asked. */
export function sweepBatches(batch, n = 24) {
  const list = [];
  for (let p = 0; list.length < n; p++) {
    list.push(2 ** p);
    if (p > 1) list.push(3 * 2 ** (p - 1));
  }
  if (Number.isInteger(batch) && batch > 0) list.push(batch);
  return [...new Set(list)].sort((a, b) => a - b);
}

/** Prices of data/prices.csv: the first of a device, with its date and source. */
export function readPrices(csv) {
  const prices = new Map();
  for (const line of csv.trim().split('\n').slice(1)) {
    const [device, text, kind, date, ...source] = line.split(',');
    if (!prices.has(device)) prices.set(device, { usd: Number(text), kind, date, source: source.join(',').replaceAll('"', '') });
  }
  return prices;
}
