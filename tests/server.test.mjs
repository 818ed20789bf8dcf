// The local server and its output.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "./support/client.mjs";
import { startServer } from "./support/server.mjs";

/** Starts a server and sends a request. Returns the server's log, read after the server has stopped. */
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

test("the server logs every request, or with `quiet` only errors", async () => {
  assert.match(await logOf(false), /^\[worker \w+\] .*"event":"request"/m);
  assert.doesNotMatch(await logOf(true), /"event":"request"/);
});

/** Sends a whole body in chunks without a length before it reads the response. Returns the response. */
async function sendChunks(url, bytes) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port });
  await once(socket, "connect");
  const broken = once(socket, "error").then(([error]) => Promise.reject(error));
  broken.catch(() => {});
  const send = (data) => new Promise((resolve, reject) => socket.write(data, (error) => (error ? reject(error) : resolve())));
  await send(`POST /orders HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
  const chunk = Buffer.alloc(64 << 10, " ");
  for (let sent = 0; sent < bytes; sent += chunk.byteLength) {
    await Promise.race([send(`${chunk.byteLength.toString(16)}\r\n`), broken]);
    await Promise.race([send(chunk), broken]);
    await Promise.race([send("\r\n"), broken]);
    await sleep(1);
  }
  await send("0\r\n\r\n");
  const [answer] = await Promise.race([once(socket, "data"), broken]);
  socket.destroy();
  return answer.toString();
}

test("a chunked body that is too large is answered on an open connection", async () => {
  const server = await startServer({ vars: { ENVIRONMENT: "development" }, quiet: true });
  try {
    for (const megabytes of [2, 5, 14]) {
      const answer = await sendChunks(server.url, megabytes << 20);
      assert.match(answer, /^HTTP\/1\.1 413 [^]*"code":413000/, `${megabytes} MB`);
    }
  } finally {
    await server.stop();
  }
});

test("other users of the machine cannot read the server's state", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-state-"));
  const [created, older] = ["created", "older"].map((name) => path.join(folder, name));
  // Simulates the state that an older version left.
  await mkdir(path.join(older, "d1"), { recursive: true, mode: 0o755 });
  try {
    for (const state of [created, older]) {
      const server = await startServer({ vars: { ENVIRONMENT: "development" }, state, quiet: true });
      await server.stop();
      const inside = await readdir(state, { recursive: true });
      assert.ok(
        inside.some((name) => name.endsWith(".sqlite")),
        inside.join(" "),
      );
      if (state === created) inside.push(".");
      for (const name of inside) {
        const { mode } = await stat(path.join(state, name));
        assert.equal(mode & 0o077, 0, `${name} has the mode ${mode.toString(8)}`);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Returns a port that is free now. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

test("the port answers only after the migrations, so requests during the start do no harm", async () => {
  const port = await freePort();
  const [statuses, ended] = [new Set(), new AbortController()];
  const asking = (async () => {
    while (!ended.signal.aborted) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      if (answer !== undefined) statuses.add(answer.status);
      await sleep(5);
    }
  })();
  try {
    const server = await startServer({ vars: { ENVIRONMENT: "development" }, port, quiet: true });
    assert.equal(new URL(server.url).port, String(port));
    await until(
      () => [...statuses],
      (found) => found.length > 0,
    );
    await server.stop();
  } finally {
    ended.abort();
    await asking;
  }
  assert.deepEqual([...statuses], [200]);
});
