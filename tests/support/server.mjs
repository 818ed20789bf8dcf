// A server of a test's own: host/serve.mjs as a child process, which ends with the test however the test ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Tests come from one address, and only those of the limits mean to meet one. Fees are asked, unlike in wrangler.jsonc. */
const DEFAULTS = { RATE_LIMIT_ADDRESS: "off", RATE_LIMIT_ACCOUNT: "off", PAYMENTS: "on" };
/** Without an environment it is production, where fees need a receiver and the service a name of its own. */
const PRODUCTION = { PAYMENT_RECEIVER: "0x90F79bf6EB2c4f870365E785982E1f101E93b906", SERVICE_NAME: "ours" };

const SERVE = fileURLToPath(new URL("../../edge-api/host/serve.mjs", import.meta.url));

/**
 * Starts a server and waits until it answers.
 *
 * `vars` are settings of the Worker; `state` is a folder that outlives the server; `sweepEvery` is in seconds; `privateNetwork`,
 * on by default, lets the Worker reach this machine, and `loopbackOnly` nothing else; `dist` is another build than edge-api/dist;
 * `watch` follows new builds; `quiet` logs only what goes wrong.
 */
export async function startServer({ vars = {}, state, port = 0, sweepEvery = 0, privateNetwork = true, loopbackOnly, dist, watch, quiet } = {}) {
  const args = ["--port", String(port), "--sweep-every", String(sweepEvery)];
  for (const [name, value] of Object.entries({ ...DEFAULTS, ...(vars.ENVIRONMENT ? {} : PRODUCTION), ...vars })) args.push("--var", `${name}=${value}`);
  if (state) args.push("--state", state);
  if (dist) args.push("--dist", dist);
  if (loopbackOnly) args.push("--loopback-only");
  if (privateNetwork) args.push("--private-network");
  if (watch) args.push("--watch");
  if (quiet) args.push("--quiet");
  const child = spawn(process.env.ASSAY_NODE ?? process.execPath, [SERVE, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit");

  let log = "";
  child.stderr.on("data", (text) => (log += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** The next thing that the server says, such as `{ ready: true, url }`. */
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the server ended:\n${log}`);
    return JSON.parse(value);
  };
  const { url } = await next();

  return {
    url,
    /** The server's process, of which the runtime is a child. */
    pid: child.pid,
    next,
    /** The log of the server and the Worker so far. */
    log: () => log,
    /** Ends it as the end of a terminal would. */
    async stop() {
      child.stdin.end();
      const [code] = await exited;
      return code;
    },
    /** Ends it as a power cut would. */
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
