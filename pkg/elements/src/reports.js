// Reads `/badge.json`. Elements for the same asset share one request.
import { textWithin } from '../../view/src/issuer.ts';

/** The maximum size of a report in bytes: three documents of 5 MiB each, and the verdict. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The timeout of a request and its answer, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** The requests that elements on the page use, by address. A finished request stays as long as an element uses it. */
const requests = new Map();

/** Returns the data of a report. Rejects if the report cannot be read. An element aborts `signal` when it no longer waits. When no element waits any more, the request is aborted. */
export function reportOf(address, signal) {
  const request = requests.get(address) ?? start(address);
  request.readers += 1;
  signal.addEventListener('abort', () => {
    request.readers -= 1;
    if (request.readers === 0) {
      request.end();
    }
  });
  return request.data;
}

function start(address) {
  const controller = new AbortController();
  const forget = () => requests.get(address) === request && requests.delete(address);
  const request = {
    readers: 0,
    data: read(address, AbortSignal.any([controller.signal, AbortSignal.timeout(TIMEOUT_MS)])),
    end() {
      forget();
      controller.abort();
    },
  };
  requests.set(address, request);
  // After a failure, the next element sends the request again.
  request.data.catch(forget);
  return request;
}

async function read(address, signal) {
  const response = await fetch(address, { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer', signal });
  const text = response.ok ? await textWithin(response, MAX_BYTES) : null;
  return JSON.parse(text).data;
}
