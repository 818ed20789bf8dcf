// Asks the worker. The last question counts: an answer to an earlier one no longer matters.
import { Refusal } from './json.js';

let worker;
let turns = 0;
const waiting = new Map();

/**
 * Does a task of lib/worker.js on `input`. The promise rejects with a sentence where it was refused, and stays pending where
 * something else has been asked since.
 */
export function ask(task, input) {
  worker ??= start();
  turns += 1;
  waiting.clear();
  const answer = new Promise((resolve, reject) => waiting.set(turns, { resolve, reject }));
  worker.postMessage({ turn: turns, task, input });
  return answer;
}

/** The tasks under way no longer matter. */
export function forget() {
  waiting.clear();
}

function start() {
  const started = new Worker('/lib/worker.js', { type: 'module' });
  started.addEventListener('message', ({ data: { turn, result, refusal } }) => {
    const { resolve, reject } = waiting.get(turn) ?? {};
    waiting.delete(turn);
    if (refusal === undefined) {
      resolve?.(result);
    } else {
      reject?.(new Refusal(refusal));
    }
  });
  started.addEventListener('error', () => {
    worker = undefined;
    for (const { reject } of waiting.values()) {
      reject(new Refusal('The certification library could not be started. Reload the page, in a current browser.'));
    }
    waiting.clear();
  });
  return started;
}
