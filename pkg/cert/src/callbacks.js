import { CertError } from './error.js';

/** How many requests are answered at once. */
const LIMIT = 1024;

/**
 * Answers all requests of a run with callbacks that may be asynchronous: those that do not need each
 * other's results at the same time.
 */
export async function answer(run, hasher, noncer) {
  for (;;) {
    const requests = JSON.parse(run.requests(LIMIT));
    if (requests.length === 0) {
      return;
    }
    let results = requests.map(([, path, position, value]) =>
      position === undefined
        ? call('noncer', noncer, path, [path])
        : call('hasher', hasher, path, [value, path, position]),
    );
    if (results.some((result) => typeof result !== 'string')) {
      results = await Promise.all(results);
    }
    results.forEach((result, index) => run.answer(requests[index][0], result));
  }
}

/** Calls a callback: gives its text, or a promise of it that rejects with what went wrong. */
function call(name, callback, path, parameters) {
  const failed = (message, cause) =>
    new CertError(`${name}-failed`, `the ${name} ${message}`, path, cause && { cause: cause.error });
  const text = (result) => {
    if (typeof result !== 'string' || /\p{Surrogate}/u.test(result)) {
      throw failed('has to return a string of well-formed Unicode');
    }
    return result;
  };
  const threw = (error) => failed(`failed: ${error?.message ?? error}`, { error });
  let result;
  try {
    result = callback(...parameters);
  } catch (error) {
    return Promise.reject(threw(error));
  }
  if (typeof result?.then === 'function') {
    return Promise.resolve(result).then(text, (error) => Promise.reject(threw(error)));
  }
  try {
    return text(result);
  } catch (error) {
    return Promise.reject(error);
  }
}
