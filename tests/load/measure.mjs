// Requests over connections that stay open, timed from the first byte sent to the last one read.
import http from "node:http";

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** Ends the connections. */
export function close() {
  agent.destroy();
}

/** One request: its answer, and how many milliseconds it took. */
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

/** The same, and an error unless it is answered with success. */
export async function succeed(url, options) {
  const answer = await send(url, options);
  if (answer.status >= 300) throw new Error(`${options?.method ?? "GET"} ${url} answered ${answer.status}: ${answer.body}`);
  return answer;
}

/** The `data` of an answer. */
export const dataOf = ({ body }) => JSON.parse(body).data;

/** The value below which a part of some numbers lies. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Latencies in milliseconds as they are shown. */
export const latency = (times) => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99), samples: times.length });

/** Takes each of some measurements so many times, in turns, so that whatever else the machine does meets all of them. */
export async function alternate(measurements, times) {
  const names = Object.keys(measurements);
  const taken = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < times; round++) {
    // The one that goes first changes: it is not always the same one that finds cold caches.
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      taken[name].push((await measurements[name](round)).ms);
    }
  }
  return taken;
}

/** How many of a call, so many under way at a time, are answered a second. `call` gets a number of its own each time; it ends `limit`. */
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
