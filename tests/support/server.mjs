// Starts a server for a test: host/serve.mjs as a child process. It ends with the test, even if the test crashes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Rate limits are off, except in the tests of rate limits, because all tests have the same client address. Fees are on, unlike in wrangler.jsonc. */
const DEFAULTS = { RATE_LIMIT_ADDRESS: "off", RATE_LIMIT_ACCOUNT: "off", PAYMENTS: "on" };
/** Settings without which the service does not start in production, which is the default environment: fees need a receiver, and the service needs a name. */
const PRODUCTION = { PAYMENT_RECEIVER: "0x90F79bf6EB2c4f870365E785982E1f101E93b906", SERVICE_NAME: "ours" };

/** The build with the ledger on a chain. */
const WITH_CHAIN = fileURLToPath(new URL("../../edge-api/dist-evm", import.meta.url));
const SERVE = fileURLToPath(new URL("../../edge-api/host/serve.mjs", import.meta.url));

/**
 * Starts a server and waits until it answers.
 *
 * - `vars`: settings of the Worker.
 * - `state`: a folder for the state, which stays after the server has ended.
 * - `port`: a port on 127.0.0.1. 0, the default, picks a free one.
 * - `sweepEvery`: the interval of sweeps in seconds. 0, the default, turns sweeps off.
 * - `privateNetwork`: lets the Worker reach this machine; on by default.
 * - `loopbackOnly`: lets the Worker reach only this machine.
 * - `dist`: another build. The default is edge-api/dist-evm with `LEDGER=evm`, and otherwise edge-api/dist.
 * - `watch`: restarts with new builds.
 * - `quiet`: logs only failures.
 * - `heapMegabytes`: limits the heap of every isolate, so that the runtime collects garbage early.
 */
export async function startServer({ vars = {}, state, port = 0, sweepEvery = 0, privateNetwork = true, loopbackOnly, dist, watch, quiet, heapMegabytes } = {}) {
  const args = ["--port", String(port), "--sweep-every", String(sweepEvery)];
  for (const [name, value] of Object.entries({ ...DEFAULTS, ...(vars.ENVIRONMENT ? {} : PRODUCTION), ...vars })) args.push("--var", `${name}=${value}`);
  if (state) args.push("--state", state);
  const build = dist ?? (vars.LEDGER === "evm" ? WITH_CHAIN : undefined);
  if (build) args.push("--dist", build);
  if (loopbackOnly) args.push("--loopback-only");
  if (privateNetwork) args.push("--private-network");
  if (watch) args.push("--watch");
  if (quiet) args.push("--quiet");
  const env = heapMegabytes ? { ...process.env, MINIFLARE_WORKERD_V8_FLAGS: `--max-semi-space-size=1 --max-old-space-size=${heapMegabytes}` } : process.env;
  const child = spawn(process.env.ASSAY_NODE ?? process.execPath, [SERVE, ...args], { stdio: ["pipe", "pipe", "pipe"], env });
  const exited = once(child, "exit");

  let log = "";
  child.stderr.on("data", (text) => (log += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** Returns the server's next message, such as `{ ready: true, url }`. */
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the server ended:\n${log}`);
    return JSON.parse(value);
  };
  const { url } = await next();

  return {
    url,
    /** The id of the server's process. The runtime is a child of this process. */
    pid: child.pid,
    next,
    /** The log of the server and the Worker so far. */
    log: () => log,
    /** Ends the server as a closed terminal does. Returns its exit code. */
    async stop() {
      child.stdin.end();
      const [code] = await exited;
      return code;
    },
    /** Ends the server without warning, as a power cut does. */
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
