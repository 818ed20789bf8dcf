// Sends tasks to a worker.
import type { Tasks as DocumentTasks } from '../workers/documents/one.ts';
import { Refusal } from '../../pkg/view/src/json.ts';
import { loadAgain } from './part.ts';
import type { Values } from '../../pkg/view/src/say.ts';

/** The functions of a worker by their names. */
type Tasks = Readonly<Record<string, (input: never) => unknown>>;

/** The arguments of `ask` after the task's name. `limit` is in milliseconds. */
type Arguments<Task extends (input: never) => unknown> = Parameters<Task> extends [] ? [input?: undefined, limit?: number] : [input: Parameters<Task>[0], limit?: number];

/** The worker's answer to a task: a result, or a sentence with the key of a text. */
interface Answer {
  turn: number;
  result?: unknown;
  refusal?: string;
  key?: string;
  values?: Values;
}

/** The promise of a task that has no answer yet. */
interface Pending {
  resolve(result: unknown): void;
  reject(refusal: Refusal): void;
}

export interface Beside<Of extends Tasks> {
  ask<Name extends keyof Of & string>(task: Name, ...input: Arguments<Of[Name]>): Promise<Awaited<ReturnType<Of[Name]>>>;
  forget(): void;
}

/**
 * Returns the functions `ask` and `forget` for the worker at an address. The worker starts with the first task.
 *
 * - `ask(task, input, limit)` runs a task. The promise rejects with a sentence if the task refuses the input. The promise stays pending if another task
 *   was sent in the meantime, unless `keepsAll` is set. If the task takes longer than `limit` milliseconds, the worker ends, and all its tasks
 *   are refused with `refusal.slow`.
 * - `forget()` ignores the answers to the tasks in progress.
 */
export function beside<Of extends Tasks>(address: URL, { keepsAll = false } = {}): Beside<Of> {
  let worker: Worker | undefined;
  let turns = 0;
  const waiting = new Map<number, Pending>();

  function end(refusal: Refusal) {
    worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) {
      reject(refusal);
    }
    waiting.clear();
  }

  function start() {
    const started = new Worker(address, { type: 'module' });
    started.addEventListener('message', ({ data: { turn, result, refusal, key, values } }: MessageEvent<Answer>) => {
      const pending = waiting.get(turn);
      waiting.delete(turn);
      if (refusal === undefined) {
        pending?.resolve(result);
      } else {
        pending?.reject(new Refusal(refusal, key, values));
      }
    });
    started.addEventListener('error', (event) => {
      // Only the error of a script that is missing has no message.
      if (!(event instanceof ErrorEvent) && loadAgain()) {
        worker = undefined;
        return;
      }
      end(new Refusal('The certification library could not be started. Reload the page, in a current browser.', 'refusal.library'));
    });
    return started;
  }

  return {
    ask<Name extends keyof Of & string>(task: Name, ...[input, limit]: Arguments<Of[Name]>) {
      worker ??= start();
      turns += 1;
      if (!keepsAll) {
        waiting.clear();
      }
      const answer = new Promise<Awaited<ReturnType<Of[Name]>>>((resolve, reject) => waiting.set(turns, { resolve, reject }));
      worker.postMessage({ turn: turns, task, input });
      if (limit !== undefined) {
        const timer = setTimeout(() => end(new Refusal('This takes too long.', 'refusal.slow')), limit);
        answer.finally(() => clearTimeout(timer)).catch(() => {});
      }
      return answer;
    },
    forget: () => waiting.clear(),
  };
}

/** The functions for the worker of single documents. */
export const { ask, forget } = beside<DocumentTasks>(new URL('../workers/documents/one.ts', import.meta.url));
