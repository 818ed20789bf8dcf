import { CertError } from './error.js';

/** The maximum number of pending promises of callbacks. */
const LIMIT = 1024;

/**
 * Calls the callbacks, which may be asynchronous, and passes their answers to `rest.finish`. Returns a promise of the result of `rest.finish`.
 * `questions` is the list of calls to make. The module `callbacks` of cert-wasm describes its form. A question waits only for the answers that
 * it needs. If all callbacks are synchronous, they run without a turn of the event loop between them. See cert-core/src/hash/deferred.rs.
 */
export function answer(questions, hasher, noncer, rest) {
  return new Promise((resolve, reject) => {
    let last = [];
    const paths = questions.map(({ shared, path }) => (last = [...last.slice(0, shared), ...path]));
    const answers = [];
    /** For each question, the number of the question that uses its answer. At most one question uses an answer. */
    const takers = [];
    /** The numbers of the questions that can be asked now, because they wait for no answer. */
    const ready = [];
    let left = questions.length;
    let pending = 0;

    const missing = questions.map(({ parts = [] }, at) => {
      const numbers = parts.filter((part) => typeof part === 'number');
      numbers.forEach((number) => (takers[number] = at));
      if (numbers.length === 0) {
        ready.push(at);
      }
      return numbers.length;
    });

    /** Rejects the promise and makes no more calls. */
    function fail(error) {
      ready.length = 0;
      left = -1;
      reject(error);
    }

    function proceed() {
      while (ready.length > 0 && pending < LIMIT) {
        ask(ready.pop());
      }
      if (left === 0) {
        resolve(answers);
      }
    }

    function ask(at) {
      const { position, value, parts } = questions[at];
      const path = paths[at];
      try {
        const text = parts?.map((part) => (typeof part === 'number' ? answers[part] : part)).join('');
        const result = position === undefined ? call('noncer', noncer, path, [path]) : call('hasher', hasher, path, [parts ? text : value, path, position]);
        if (typeof result === 'string') {
          take(at, result);
          return;
        }
        pending += 1;
        result.then((text) => settle(at, text), fail);
      } catch (error) {
        fail(error);
      }
    }

    function take(at, text) {
      answers[at] = text;
      left -= 1;
      const taker = takers[at];
      if (taker !== undefined) {
        missing[taker] -= 1;
        if (missing[taker] === 0) {
          ready.push(taker);
        }
      }
    }

    function settle(at, text) {
      pending -= 1;
      if (left > 0) {
        take(at, text);
        proceed();
      }
    }

    proceed();
  }).then((answers) => rest.finish(answers));
}

/** Calls a callback. Returns its string, or a promise of the string. Throws or rejects with a `CertError` if the callback fails. */
function call(name, callback, path, parameters) {
  const failed = (message, options) => new CertError(`${name}-failed`, `the ${name} ${message}`, path, options);
  const text = (result) => {
    if (typeof result !== 'string' || !result.isWellFormed()) {
      throw failed('has to return a string of well-formed Unicode, or a promise of one');
    }
    return result;
  };
  const threw = (cause) => {
    const said = typeof cause === 'string' ? cause : cause?.message;
    throw failed(typeof said === 'string' ? `failed: ${said}` : 'failed', { cause });
  };
  let result;
  let promised;
  try {
    result = callback(...parameters);
    promised = typeof result?.then === 'function';
  } catch (error) {
    threw(error);
  }
  return promised ? Promise.resolve(result).then(text, threw) : text(result);
}
