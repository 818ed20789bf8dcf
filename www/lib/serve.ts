// Runs the tasks that a page sends to this worker with `beside`. Does not use the DOM.
import { Refusal, sentenceOf } from '../../pkg/view/src/json.ts';

/** A task: the name of a function of the worker, and its input. */
interface Message {
  turn: number;
  task: string;
  input: unknown;
}

/** The functions of a worker by their names. The page's call is checked against the types of these functions. */
type Tasks = Readonly<Record<string, { run(input: unknown): unknown }['run']>>;

/**
 * Runs each task that the page sends, after `ready` has resolved. Sends the result, or the sentence of an error. `refusalOf` converts what a task
 * threw.
 */
export function serve(tasks: Tasks, { ready = async () => {}, refusalOf = (error: unknown) => error }: { ready?: () => Promise<unknown>; refusalOf?: (thrown: unknown) => unknown } = {}) {
  self.addEventListener('message', async ({ data: { turn, task, input } }: MessageEvent<Message>) => {
    try {
      await ready().catch(() => {
        throw Refusal.of('refusal.library');
      });
      const run = tasks[task];
      if (run === undefined) {
        throw new Error(`there is no task \`${task}\``);
      }
      self.postMessage({ turn, result: await run(input) });
    } catch (thrown) {
      const error = refusalOf(thrown);
      const { key, values } = error instanceof Refusal ? error : {};
      self.postMessage({ turn, refusal: sentenceOf(error), key, values });
    }
  });
}
