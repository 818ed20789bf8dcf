// Tests the JavaScript around the Rust program, and the local server. A small program that traps on demand replaces the Rust program.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startServer } from "../../../tests/support/server.mjs";
import { readConfiguration, simulatorOptions } from "../runtime.mjs";
import { bytes } from "./fake-program.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
let folder;

/** Writes a build of the fake program, in the form of `cargo xtask build worker`. */
async function buildFake(version = "1") {
  const dist = path.join(folder, "dist");
  await mkdir(path.join(dist, "assets"), { recursive: true });
  await writeFile(path.join(dist, "assets", "index.html"), "<h1>a page</h1>");
  await writeFile(path.join(dist, "assets", "orders.html"), "not the API");
  await writeFile(path.join(dist, "trap.wasm"), Uint8Array.from(bytes));
  await writeFile(
    path.join(folder, "entry.mjs"),
    `
    import module from "./trap.wasm";
    import { provide } from ${JSON.stringify(here("fake-program.mjs"))};
    provide(module);
    export { default } from ${JSON.stringify(here("../worker.mjs"))};
  `,
  );
  await build({
    entryPoints: [path.join(folder, "entry.mjs")],
    outfile: path.join(dist, "worker.js"),
    bundle: true,
    format: "esm",
    external: ["cloudflare:*", "./trap.wasm"],
    alias: { "rust-bindings": here("fake-program.mjs") },
    define: { VERSION: JSON.stringify(version) },
    logLevel: "silent",
  });
  return dist;
}

let server;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "assay-host-"));
  server = await startServer({ dist: await buildFake() });
});
after(async () => {
  await server?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const get = async (address, init) => {
  const answer = await fetch(address, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const instance = async () => Number((await get(`${server.url}/instance`)).text);

/** Checks that an answer is the one that the interface specification has for unhandled errors, and reveals no details of the error. */
function assertUnhandled({ status, headers, text }) {
  assert.equal(status, 500);
  const { id, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, {
    status: 500,
    errors: [{ code: 500000, message: "the service failed in a way it did not foresee", path: "" }],
  });
  assert.equal(headers.get("x-request-id"), id);
  assert.equal(headers.get("access-control-allow-origin"), "*");
  assert.equal(headers.get("cache-control"), "no-store");
}

test("a trap is answered with 500000, and the next request gets a new instance", async () => {
  const first = await instance();
  assertUnhandled(await get(`${server.url}/trap`, { method: "POST" }));
  assert.equal(await instance(), first + 1);
});

for (const path of ["/trap-later", "/panic-later"]) {
  test(`requests in flight during ${path} do not hang: POST fails, and GET is repeated`, async () => {
    const first = await instance();
    const waiting = async () => Number((await get(`${server.url}/waiting-so-far`)).text);
    const before = await waiting();
    const safe = get(`${server.url}/waiting?${path}`);
    const unsafe = get(`${server.url}/waiting?${path}`, { method: "POST" });
    await until(async () => (await waiting()) === before + 2);
    assertUnhandled(await get(`${server.url}${path}`, { method: "POST" }));
    assert.equal((await safe).text, `instance ${first + 1}`);
    assertUnhandled(await unsafe);
    assert.equal(await instance(), first + 1);
  });
}

/** Returns the number of requests to an address that the program received. */
const times = async (address) => Number((await get(`${server.url}/times`, { headers: { "x-key": address } })).text);

for (const path of ["/trap", "/trap-later", "/panic-later"]) {
  test(`a GET that traps is not repeated: ${path}`, async () => {
    const first = await instance();
    const address = `${server.url}${path}?own`;
    assertUnhandled(await get(address));
    assert.equal(await times(address), 1);
    assert.equal(await instance(), first + 1);
  });
}

for (const path of ["/trap-later", "/panic-later"]) {
  test(`a request in flight during a GET that traps is answered: ${path}`, async () => {
    const first = await instance();
    const waiting = async () => Number((await get(`${server.url}/waiting-so-far`)).text);
    const before = await waiting();
    const innocent = get(`${server.url}/waiting?beside${path}`);
    await until(async () => (await waiting()) === before + 1);
    assertUnhandled(await get(`${server.url}${path}?beside`));
    assert.equal((await innocent).text, `instance ${first + 1}`);
  });
}

test("a request is answered although background work of another request traps", async () => {
  const first = await instance();
  const waiting = async () => Number((await get(`${server.url}/waiting-so-far`)).text);
  const before = await waiting();
  const innocent = get(`${server.url}/waiting?behind`);
  await until(async () => (await waiting()) === before + 1);
  assert.equal((await get(`${server.url}/trap-after-answer`, { method: "POST" })).text, "answered");
  assert.equal((await innocent).text, `instance ${first + 1}`);
});

test("a request with an unread body gets its answer", async () => {
  const first = await instance();
  const large = { method: "POST", body: "x".repeat(1 << 20) };
  for (let n = 0; n < 20; n++) assert.equal((await get(`${server.url}/instance`, large)).text, `${first}`);
});

test("an error other than a trap is logged without ending the instance", async () => {
  const first = await instance();
  for (const path of ["/error", "/range-error"]) assertUnhandled(await get(server.url + path));
  assert.equal(await instance(), first);
  assert.match(server.log(), /a secret detail/);
});

test("a queue batch that traps is delivered again", async () => {
  await get(`${server.url}/enqueue`, { method: "POST" });
  await until(async () => (await get(`${server.url}/deliveries`)).text === "2");
});

test("pages are served as files, and the API's paths never are", async () => {
  assert.match((await get(`${server.url}/`)).text, /a page/);
  assert.equal((await get(`${server.url}/orders`)).text, "no such path");
  assert.equal((await get(`${server.url}/nothing-here`)).text, "no such path");
});

test("the server can end while an answered request still works", async () => {
  assert.equal((await get(`${server.url}/outlives`)).text, "answered");
  assertUnhandled(await get(`${server.url}/trap`, { method: "POST" }));
});

test("the database outlives a killed server, and migrations are applied once", async () => {
  const dist = path.join(folder, "dist");
  const state = path.join(folder, "state");
  const first = await startServer({ dist, state });
  const applied = JSON.parse((await get(`${first.url}/read`)).text);
  assert.ok(applied.length > 0);
  await get(`${first.url}/write`);
  await first.kill();

  // Uses the same port immediately. This fails if a part of the killed server still runs.
  const second = await startServer({ dist, state, port: new URL(first.url).port });
  assert.deepEqual(JSON.parse((await get(`${second.url}/read`)).text), [...applied, "written by the test"]);
  assert.equal(await second.stop(), 0);
});

test("the scheduled handler runs at the start and at intervals, even after a trap", async () => {
  const swept = await startServer({ dist: path.join(folder, "dist"), sweepEvery: 0.2 });
  await until(async () => Number((await get(`${swept.url}/ticks`)).text) >= 2);
  await swept.stop();
});

test("the Worker's requests reach this machine only if allowed", async () => {
  const target = createServer((_, answer) => answer.end("private")).listen(0, "127.0.0.1");
  await new Promise((resolve) => target.once("listening", resolve));
  const out = (address) => ({ headers: { "x-target": address } });
  const { port } = target.address();
  try {
    // The IP address, and a host name that resolves to it.
    for (const host of ["127.0.0.1", "localhost"]) {
      assert.equal((await get(`${server.url}/out`, out(`http://${host}:${port}/`))).text, "private", host);
    }
    const careful = await startServer({ dist: path.join(folder, "dist"), privateNetwork: false });
    for (const host of ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1"]) {
      assert.equal((await get(`${careful.url}/out`, out(`http://${host}:${port}/`))).text, "refused", host);
    }
    await careful.stop();
  } finally {
    target.close();
  }
});

test("a port in use and a missing build cause clear errors", async () => {
  const { port } = new URL(server.url);
  await assert.rejects(startServer({ dist: path.join(folder, "dist"), port }), /port \d+ is in use by another program/);
  await assert.rejects(startServer({ dist: path.join(folder, "nowhere") }), /there is no built Worker in .*cargo xtask build worker/);
});

test("rate limiters use the limits of the settings", async () => {
  const configuration = await readConfiguration();
  const limiters = async (vars) => {
    const { workers } = await simulatorOptions(configuration, { dist: path.join(folder, "dist"), vars, privateNetwork: true });
    const bindings = Object.entries(workers[0].config.env).filter(([, { type }]) => type === "rate-limit");
    return Object.fromEntries(bindings.map(([name, { simple }]) => [name, simple]));
  };
  const { LIMIT_ADDRESS, LIMIT_ACCOUNT } = await limiters({});
  assert.ok(LIMIT_ADDRESS.limit > LIMIT_ACCOUNT.limit);
  assert.deepEqual(await limiters({ RATE_LIMIT_ADDRESS: "5/60" }), { LIMIT_ADDRESS: { limit: 5, period: 60 }, LIMIT_ACCOUNT });
  assert.deepEqual(await limiters({ RATE_LIMIT_ADDRESS: "off", RATE_LIMIT_ACCOUNT: "5/7" }), {});
  configuration.vars.RATE_LIMIT_ADDRESS = "299/10";
  await assert.rejects(limiters({}), /LIMIT_ADDRESS allows 300\/10 \(requests\/seconds\), but RATE_LIMIT_ADDRESS is 299\/10/);
});

test("a new build is served without a restart", async () => {
  const watching = await startServer({ dist: path.join(folder, "dist"), watch: true });
  assert.equal((await get(`${watching.url}/version`)).text, "1");
  await buildFake("2");
  assert.deepEqual(await watching.next(), { reloaded: true, url: watching.url });
  assert.equal((await get(`${watching.url}/version`)).text, "2");
  await watching.stop();
});

/** Waits until a condition holds. The bound ends the test if it never does. */
async function until(holds) {
  for (let tries = 0; !(await holds()); tries++) {
    assert.ok(tries < 600, "the condition did not hold in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("the Worker runs with the compatibility flags that it is deployed with", async () => {
  const configuration = await readConfiguration();
  // Requests to hosts of the operator's own zone must not bypass the zone's access rules.
  assert.ok(configuration.compatibility_flags.includes("global_fetch_strictly_public"));
  const { workers } = await simulatorOptions(configuration, { dist: path.join(folder, "dist"), vars: {} });
  assert.deepEqual(workers[0].config.compatibilityFlags, configuration.compatibility_flags);
});

test("the work for a client that disconnects is completed", async () => {
  const times = async (key) => Number((await get(`${server.url}/times`, { headers: { "x-key": key } })).text);
  const until = async (key) => {
    for (let tries = 0; tries < 100; tries++) {
      if ((await times(key)) > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`${key}: the work was not finished within five seconds`);
  };
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /slow HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await until("begun");
  socket.resetAndDestroy();
  await until("ended");
});
