import { CertError } from './error.js';
import { encoder } from './pack.js';
import { requestsOf } from './results.js';

/** How many promises of callbacks may be pending at once. */
const LIMIT = 1024;

/**
 * Answers all requests of a run with callbacks that may be asynchronous. One that does not need the result of another never waits
 * for it; what is answered at once takes no turn of the event loop.
 */
export function answer(run, hasher, noncer) {
  return new Promise((resolve, reject) => {
    let pending = 0;
    let ended = false;
    let due = false;

    function fail(error) {
      ended = true;
      reject(error);
    }

    function proceed() {
      due = false;
      while (!ended) {
        const requests = requestsOf(run.requests(LIMIT - pending));
        if (requests.length === 0) {
          break;
        }
        requests.forEach(ask);
      }
      if (!ended && pending === 0) {
        ended = true;
        resolve();
      }
    }

    function ask([id, path, position, value]) {
      if (ended) {
        return;
      }
      try {
        const result =
          position === undefined
            ? call('noncer', noncer, path, [path])
            : call('hasher', hasher, path, [value, path, position]);
        if (typeof result === 'string') {
          run.answer(id, encoder.encode(result));
          return;
        }
        pending += 1;
        result.then((text) => settle(id, text), fail);
      } catch (error) {
        fail(error);
      }
    }

    /** Results that come together are taken together. After an end the run is no more. */
    function settle(id, text) {
      pending -= 1;
      if (!ended) {
        run.answer(id, encoder.encode(text));
        if (!due) {
          due = true;
          queueMicrotask(proceed);
        }
      }
    }

    proceed();
  });
}

/** Calls a callback: gives its text, or a promise of it. */
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
