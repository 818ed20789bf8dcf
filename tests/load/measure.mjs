// Sends requests over persistent connections, and times them from the sending until the last byte of the answer.
import http from "node:http";

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** Closes the connections. */
export function close() {
  agent.destroy();
}

/** Sends a request. Returns its answer and its time in milliseconds. */
export function send(url, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const request = http.request(url, { method, headers, agent }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode, body: Buffer.concat(chunks), ms: performance.now() - started }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Sends a request. Throws if the status of the answer is 300 or higher. */
export async function succeed(url, options) {
  const answer = await send(url, options);
  if (answer.status >= 300) throw new Error(`${options?.method ?? "GET"} ${url} answered ${answer.status}: ${answer.body}`);
  return answer;
}

/** Returns the `data` of an answer. */
export const dataOf = ({ body }) => JSON.parse(body).data;

/** Returns a quantile of the numbers. `part` is from 0 to 1. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Returns a summary of latencies in milliseconds. */
export const latency = (times) => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99), samples: times.length });

/** Repeats each measurement `times` times. The measurements take turns, so that other load on the machine affects all of them equally. */
export async function alternate(measurements, times) {
  const names = Object.keys(measurements);
  const taken = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < times; round++) {
    // Rotates the order, so that the cold caches of a round do not always affect the same measurement.
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      taken[name].push((await measurements[name](round)).ms);
    }
  }
  return taken;
}

/**
 * Returns the number of calls answered per second, with `atOnce` calls in flight. Each call gets a new number. After `seconds`, or after
 * `limit` calls, no further call starts.
 */
export async function throughput(call, { atOnce, seconds, limit = Infinity }) {
  let next = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  const lane = async () => {
    while (performance.now() < end && next < limit) await call(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (next * 1000) / (performance.now() - started);
}
