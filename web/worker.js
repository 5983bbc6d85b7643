// The predictor beside the page: messages are answered one after the other. A newer question makes older ones of its kind
// void: { id, kind, call, args }; kind: what replaces it. Long calls are lists of short ones, between which messages arrive.
import { openPredictor } from './predictor.js';

const newest = new Map(); // by kind: the id of the last question
const queue = [];
let predictor, isBusy = false;

const pause = () => new Promise(resolve => {
  const channel = new MessageChannel();
  channel.port1.onmessage = resolve;
  channel.port2.postMessage(0);
});

async function work(message) {
  const isOld = () => newest.get(message.kind) !== message.id;
  if (isOld()) return;
  if (message.call !== 'askAll') return predictor[message.call](...message.args);
  const answers = [];
  for (const request of message.args[0]) {
    answers.push(predictor.ask(request));
    if (answers.length % 16 === 0) await pause();
    if (isOld()) return;
  }
  return answers;
}

async function drain() {
  if (isBusy) return;
  isBusy = true;
  for (let message; (message = queue.shift());) {
    try {
      const answer = await work(message);
      postMessage({ id: message.id, answer, isOld: newest.get(message.kind) !== message.id });
    } catch (error) {
      postMessage({ id: message.id, error: error.message });
    }
    await pause();
  }
  isBusy = false;
}

onmessage = async ({ data }) => {
  if (data.module) {
    try {
      predictor = await openPredictor(data.module);
      postMessage({ ready: true });
    } catch (error) {
      postMessage({ ready: false, error: error.message });
    }
    return;
  }
  newest.set(data.kind, data.id);
  queue.push(data);
  void drain();
};
