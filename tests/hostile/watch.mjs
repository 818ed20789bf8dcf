// Measures the effects of an attack: the memory of the runtime's process, and the delay of other requests.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two measurements of memory, and between two requests of another client. */
const LOOK_MS = 50;
const PROBE_MS = 50;

/** Returns a process and all of its descendants. */
function below(root) {
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The process name is in parentheses and may contain any characters.
      const [, , parent] = /^\d+ \(.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "utf8"));
      parents.set(Number(name), Number(parent));
    } catch {
      // The process has ended in the meantime.
    }
  }
  const found = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [child, parent] of parents) {
      if (found.has(parent) && !found.has(child)) {
        found.add(child);
        grown = true;
      }
    }
  }
  return found;
}

/** Returns the sum of `read` over the runtime's processes below `root`, or undefined if the system has no such figures. */
function sum(root, read) {
  try {
    const status = (process) => readFileSync(`/proc/${process}/status`, "utf8");
    const runtimes = [...below(root)].filter((process) => /^Name:\s+workerd$/m.test(status(process)));
    return runtimes.reduce((all, process) => all + read(process), 0) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the resident memory in bytes. */
const resident = (root) => sum(root, (process) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/status`, "utf8"))[1]) * 1024);

/** Returns the processor time of the runtime so far, in ticks of 10 ms. It depends less on the machine's load than elapsed time. */
export const worked = (root) =>
  sum(root, (process) => {
    const [, user, system] = /^\d+ \(.*\) \S(?: \S+){10} (\d+) (\d+)/s.exec(readFileSync(`/proc/${process}/stat`, "utf8"));
    return Number(user) + Number(system);
  });

/**
 * Runs an attack on a server. Returns the attack's result with three more members. `memory` is the maximum growth of the runtime's process in
 * bytes. `stall` is the maximum time in milliseconds that another client waited for the list of prices. `failed` is the number of that client's
 * requests without a successful answer.
 */
export async function watched(server, attack) {
  const url = `${server.url.replace(/\/$/, "")}/stats/tickers`;
  let [stall, failed, ended, asked] = [0, 0, false, 0];
  const ask = async () => {
    const started = performance.now();
    // Each probe comes from another network, so the probes share no rate limit.
    const headers = { "cf-connecting-ip": `2001:db8:${(asked++).toString(16)}::1` };
    const answered = await fetch(url, { headers }).then(
      (answer) => answer.arrayBuffer().then(() => answer.ok),
      () => false,
    );
    if (!answered) failed += 1;
    stall = Math.max(stall, performance.now() - started);
  };
  await ask();
  [stall, failed] = [0, 0];
  const before = resident(server.pid);
  let most = before;
  const beside = [
    (async () => {
      for (; !ended; await sleep(LOOK_MS)) most = Math.max(most, resident(server.pid) ?? most);
    })(),
    (async () => {
      for (; !ended; await sleep(PROBE_MS)) await ask();
    })(),
  ];
  let outcome;
  try {
    outcome = await attack();
  } finally {
    ended = true;
    await Promise.all(beside);
  }
  return { ...outcome, memory: before && most - before, stall, failed };
}
