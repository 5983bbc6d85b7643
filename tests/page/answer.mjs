// answer.mjs MODULE.wasm < REQUESTS > ANSWERS: what the page's module answers, a line each; times on standard error
import { readFileSync } from 'node:fs';
import { openPredictor } from '../../web/predictor.js';
const start = performance.now();
const predictor = await openPredictor(await WebAssembly.compile(readFileSync(process.argv[2])));
predictor.ask({ model: 'mlp', device: 't4' });
const ready = performance.now();
const requests = readFileSync(0, 'utf8').split('\n').filter(Boolean);
const answers = requests.map(line => predictor.askText(line));
const end = performance.now();
process.stdout.write(answers.join('\n') + '\n');
console.error(`ready in ${Math.round(ready - start)} ms; ${requests.length} answers, ${((end - ready) / requests.length).toFixed(2)} ms each;`
  + ` ${Math.round(predictor.memoryBytes() / 2 ** 20)} MiB`);
