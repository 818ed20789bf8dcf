// Runs `cargo xtask` and other programs. Requests of wrangler go to the fake platform in tests/operator.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const REACH = new URL("../operator/reach.mjs", import.meta.url);

/** Returns environment variables that direct requests for the platform to `platform`. Requests for hosts below workers.dev go to the address `service`. */
export function onPlatform(platform, service) {
  const { CLOUDFLARE_ACCOUNT_ID: _, ...inherited } = process.env;
  const env = { ...inherited, CLOUDFLARE_API_BASE_URL: platform.url, CLOUDFLARE_API_TOKEN: "token" };
  return service === undefined ? env : { ...env, NODE_OPTIONS: `--import=${REACH}`, ASSAY_REACH: service };
}

/** Starts a program in its own process group. Returns its process, and a promise of its exit code and output: `{ code, said }`. */
export function start(program, words, { env, cwd = ROOT, input = "" } = {}) {
  const child = spawn(program, words, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  // The program may end without reading its input.
  child.stdin.on("error", () => {}).end(input);
  return { child, ended: once(child, "close").then(([code]) => ({ code, said })) };
}

/** Starts `cargo xtask`. */
export function startTask(words, options) {
  const own = process.env.ASSAY_XTASK;
  const [program, ...first] = own ? [own] : ["cargo", "xtask"];
  return start(program, [...first, ...words], options);
}

/** Waits until a program ends, and returns its output. Fails unless the program succeeds. */
export async function succeeded({ ended }) {
  const { code, said } = await ended;
  assert.equal(code, 0, said);
  return said;
}
