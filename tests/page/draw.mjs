// draw.mjs N SEED DEVICES.json NETWORKS.json: N requests, drawn, a line each
import { readFileSync } from 'node:fs';
const [n, seed] = process.argv.slice(2, 4).map(Number);
const devices = JSON.parse(readFileSync(process.argv[4])).devices.map(d => d.key);
const networks = JSON.parse(readFileSync(process.argv[5])).models.slice();
let state = BigInt(seed);
function next(below) { // a linear congruential generator: the same requests for a seed
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number(state >> 33n) % below;
}
const one = list => list[next(list.length)];
const often = percent => next(100) < percent;
for (let id = 0; id < n; id++) {
  const r = { id, device: one(devices), precision: one(['fp32', 'tf32', 'amp', 'bf16', 'fp16']),
    framework: one(['pytorch-2', 'pytorch-1', 'pytorch-compiled', 'tensorflow-2', 'vendor-bench', 'pytorch-ngc', 'mxnet']) };
  if (often(10)) {
    r.op = one(['conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1', 'linear m=512 k=1024 n=4096', 'softmax x=64x1000']);
    r.phase = one(['all', 'forward', 'grad_data']);
  } else {
    r.model = one(networks);
    r.batch = one([1, 2, 7, 16, 32, 64, 128, 'max']);
    r.mode = one(['training_step', 'training_step', 'forward_backward', 'forward']);
    if (r.mode === 'training_step' && often(60)) r.optimizer = one(['none', 'sgd', 'momentum', 'rmsprop', 'adam', 'adamw']);
    if (r.batch !== 'max' && often(25)) Object.assign(r, { devices: one([2, 4, 8, 16]), strategy: one(['ddp', 'dp', 'fsdp']) });
    if (often(30)) Object.assign(r, { samples: 1281167, epochs: 90 });
    if (often(20)) Object.assign(r, { usd_per_hour: 2.5, samples: 1281167 });
    if (often(10)) r.explain = true;
  }
  console.log(JSON.stringify(r));
}
