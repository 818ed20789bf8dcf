// Sends tasks to a worker. Only the answer to the last task counts.
import { Refusal } from './json.js';

/**
 * Returns the functions `ask` and `forget` for the worker at an address. The worker starts with the first task.
 *
 * - `ask(task, input)` runs a task. The promise rejects with a sentence if the task refuses the input. The promise stays pending if another task
 *   was sent in the meantime.
 * - `forget()` ignores the answers to the tasks in progress.
 */
export function beside(address) {
  let worker;
  let turns = 0;
  const waiting = new Map();

  function start() {
    const started = new Worker(address, { type: 'module' });
    started.addEventListener('message', ({ data: { turn, result, refusal, key, values } }) => {
      const { resolve, reject } = waiting.get(turn) ?? {};
      waiting.delete(turn);
      if (refusal === undefined) {
        resolve?.(result);
      } else {
        reject?.(new Refusal(refusal, key, values));
      }
    });
    started.addEventListener('error', () => {
      worker = undefined;
      for (const { reject } of waiting.values()) {
        reject(new Refusal('The certification library could not be started. Reload the page, in a current browser.', 'refusal.library'));
      }
      waiting.clear();
    });
    return started;
  }

  return {
    ask(task, input) {
      worker ??= start();
      turns += 1;
      waiting.clear();
      const answer = new Promise((resolve, reject) => waiting.set(turns, { resolve, reject }));
      worker.postMessage({ turn: turns, task, input });
      return answer;
    },
    forget: () => waiting.clear(),
  };
}

/** The functions for the worker lib/worker.js. */
export const { ask, forget } = beside('/lib/worker.js');
