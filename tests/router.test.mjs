// Two services behind the router, all in one workerd: requests under one host name reach the service that has the
// ledger.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { Miniflare } from "miniflare";
import { applyMigrations } from "../edge-api/host/migrations.mjs";
import { home, readConfiguration, simulatorOptions } from "../edge-api/host/runtime.mjs";
import { Sender } from "./support/sender.mjs";

const CELLS = ["CELL_1", "CELL_2"];

let simulator;
let router;
/** The addresses under which tests call the cells directly, by binding. */
const direct = {};

/** Returns a cell's Worker: the service with its own resources. */
async function cell(configuration, name) {
  const own = (text) => `${text}-${name.toLowerCase()}`;
  const { queues } = configuration;
  const vars = { ENVIRONMENT: "development", DEPOSITS: "test", PAYMENTS: "on", RATE_LIMIT_ADDRESS: "off", RATE_LIMIT_ACCOUNT: "off" };
  const options = await simulatorOptions(
    {
      ...configuration,
      name: name.toLowerCase(),
      d1_databases: configuration.d1_databases.map((database) => ({ ...database, database_id: own("database") })),
      kv_namespaces: configuration.kv_namespaces.map((namespace) => ({ ...namespace, id: own("cache") })),
      queues: {
        producers: queues.producers.map((producer) => ({ ...producer, queue: own(producer.queue) })),
        consumers: queues.consumers.map((consumer) => ({ ...consumer, queue: own(consumer.queue), dead_letter_queue: own(consumer.dead_letter_queue) })),
      },
    },
    { dist: path.join(home, "dist"), vars, privateNetwork: true },
  );
  const [worker] = options.workers;
  worker.dev.unsafeDirectSockets = [{ host: "127.0.0.1", port: 0 }];
  return worker;
}

before(async () => {
  const configuration = await readConfiguration();
  const { compatibility_date, main, services } = await readConfiguration(path.join(home, "router", "wrangler.jsonc"));
  assert.deepEqual(services.map(({ binding }) => binding), CELLS);
  const contents = await readFile(path.join(home, "router", main), "utf8");
  const entry = {
    config: {
      name: "router",
      compatibilityDate: compatibility_date,
      manifest: { mainModule: main, modulesRoot: path.join(home, "router"), modules: { [main]: { type: "esm", contents } } },
      env: Object.fromEntries(CELLS.map((name) => [name, { type: "worker", worker: name.toLowerCase() }])),
    },
    dev: { rootPath: home },
  };
  const workers = [entry, ...(await Promise.all(CELLS.map((name) => cell(configuration, name))))];
  simulator = new Miniflare({ host: "127.0.0.1", port: 0, workers, cf: false, telemetry: { enabled: false }, handleStructuredLogs: () => {} });
  router = (await simulator.ready).origin;
  const [{ binding, migrations_dir, migrations_table }] = configuration.d1_databases;
  for (const name of CELLS) {
    await applyMigrations(await simulator.getD1Database(binding, name.toLowerCase()), path.join(home, migrations_dir), migrations_table);
    direct[name] = (await simulator.unsafeGetDirectURL(name.toLowerCase())).origin;
  }
});
after(() => simulator?.dispose());

/** Creates an asset on a new ledger of a cell. Returns its owner and the ledger's address. */
async function issued(name) {
  const owner = await (await Sender.of()).connect(direct[name]);
  await owner.client.createDeposit(100_000);
  const { ledgerId } = await owner.deploy({ name, symbol: "C", uriPrefix: "https://example.com/", uriPostfix: "", schemaId: `0x${"0".repeat(64)}`, capabilities: [] });
  const body = JSON.stringify(await owner.creation(ledgerId, "1", "0".repeat(64), owner.id));
  const answer = await fetch(`${direct[name]}/orders`, { method: "POST", headers: owner.headers, body });
  await owner.client.waitForOrder((await answer.json()).data.ref, { interval: 50 });
  return { owner, ledgerId };
}

test("requests that name a ledger reach its cell, and others are refused", async () => {
  const made = await Promise.all(CELLS.map(issued));
  for (const [at, { owner, ledgerId }] of made.entries()) {
    const get = async (path, headers = {}) => {
      const answer = await fetch(router + path, { headers });
      return { status: answer.status, ...(await answer.json()) };
    };
    const report = await get(`/badge.json?ledgerId=${ledgerId}&assetId=1`);
    assert.equal(report.data.ledger.name, CELLS[at]);
    assert.equal((await get(`/c/${ledgerId.toUpperCase().replace("0X", "0x")}/1`)).data.ledger.name, CELLS[at]);
    assert.equal((await get(`/ledgers/${ledgerId}`, owner.headers)).data.name, CELLS[at]);
    const elsewhere = await fetch(`${direct[CELLS[1 - at]]}/badge.json?ledgerId=${ledgerId}&assetId=1`);
    assert.equal((await elsewhere.json()).data.ledger ?? null, null);
  }
  const unknown = await fetch(`${router}/badge.json?ledgerId=0x${"9".repeat(40)}&assetId=1`);
  assert.equal((await unknown.json()).data.ledger ?? null, null);
  for (const path of ["/orders", "/account", "/ledgers", "/files"]) {
    const refused = await fetch(router + path, { method: "POST", body: "{}" });
    assert.equal(refused.status, 404, path);
    assert.match((await refused.json()).errors[0].message, /names? a ledger by its address/);
  }
  // A request for a file reaches a cell.
  assert.doesNotMatch(await (await fetch(`${router}/files/${"0".repeat(64)}`)).text(), /by its address/);
  assert.match(await (await fetch(`${router}/verify/`)).text(), /<html/);
});
