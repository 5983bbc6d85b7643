// Each picture of the page, of numbers that never change: what tests of pictures draw.
import { time } from '../../web/format.js';
import { intervalBar, planChart, rooflineChart, stackedBars, sweepChart } from '../../web/charts.js';

const interval = { p05: 1e6, p50: 2e6, p95: 4e6 };
const parts = values => ['forward', 'backward', 'update', 'launches', 'communication', 'host, input and rest'].map((name, i) => ({ name, value: values[i] * 1e6 }));
const layer = (name, phase, flop, bytes, ns) => ({ name, phase, flop: flop * 1e9, bytes: bytes * 1e6, ns: ns * 1e6 });
const plan = (device, devices, usd, hours) => ({ device, devices, cost_usd: usd, device_hours: hours * devices, time_p05_ns: hours * 3e12, time_ns: hours * 3.6e12, time_p95_ns: hours * 4.5e12 });

export const pictures = () => ({
  interval: intervalBar(interval, time),
  measured: intervalBar(interval, time, 5e6),
  stacked: stackedBars([{ label: '<t4>', parts: parts([4, 8, 1, 0, 2, 0.5]), limit: 20e6, low: 12e6, high: 19e6, note: '15.5 ms' },
    { label: 'l4', parts: parts([3, 5, 1, 1, 0, 0.5]), limit: 11e6, low: 9e6, high: 13e6 }], time, 'parts'),
  batch: sweepChart([1, 2, 4, 8, 16, 32, 64].map(batch => ({ batch, p05: 60 * batch ** 0.6, p50: 80 * batch ** 0.6, p95: 110 * batch ** 0.6, fits: batch < 32 })), 8, 'samples/s'),
  roofline: rooflineChart([layer('a', 'forward', 10, 100, 1.2), layer('a', 'backward', 20, 180, 2.5), layer('b', 'forward', 0.1, 200, 0.9),
    layer('c', 'forward', 40, 90, 4), layer('c', 'backward', 80, 160, 8)], 2e13, 3e11),
  plan: planChart([plan('t4', 1, 30, 60), plan('l4', 4, 45, 20), plan('h100', 8, 90, 3)]),
  plan_without_prices: planChart([plan('t4', 1, null, 3)]),
});
