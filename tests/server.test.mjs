// The local server: what it prints is for the person who started it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./support/client.mjs";
import { startServer } from "./support/server.mjs";

/** The server's log of a request, read once the server has ended. */
async function logOf(quiet) {
  const server = await startServer({ vars: { ENVIRONMENT: "development" }, quiet });
  try {
    assert.equal((await fetch(new URL("/nothing", server.url))).status, 404);
    if (!quiet) await until(server.log, (log) => log.includes('"event":"request"'));
  } finally {
    await server.stop();
  }
  return server.log();
}

test("every request is logged, unless only what goes wrong is asked for", async () => {
  assert.match(await logOf(false), /^\[worker \w+\] .*"event":"request"/m);
  assert.doesNotMatch(await logOf(true), /"event":"request"/);
});
