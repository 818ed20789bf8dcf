// Starts a chain for a test: tests/chain/host.mjs as a child process. It ends with the test, even if the test crashes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const HOST = fileURLToPath(new URL("../chain/host.mjs", import.meta.url));

/** Starts a chain with options of host.mjs, and waits until its contracts can be called. `ready` in the result describes the chain. */
export async function startChain(...options) {
  const child = spawn(process.execPath, [HOST, ...options], { stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let log = "";
  child.stderr.on("data", (text) => (log += text));
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (done) throw new Error(`the chain did not start:\n${log}`);
  const ready = JSON.parse(value);
  if (!ready.ready) throw new Error(ready.why);
  return {
    ready,
    /** Ends the chain with a signal, or by default as a closed terminal does. Returns its exit code. */
    async stop(signal) {
      if (signal) child.kill(signal);
      else child.stdin.end();
      const [code] = await exited;
      return code;
    },
  };
}
