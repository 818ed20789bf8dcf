// A service in workerd is backed up while accounts use it, and restored into a second service. `cargo xtask backup` and `restore` run
// wrangler, in the locked version, against a fake of the platform's API. The fake answers from the databases of the two services.
import assert from "node:assert/strict";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as assay from "@assay/client";
import { Miniflare } from "miniflare";
import { applyMigrations } from "../../edge-api/host/migrations.mjs";
import { home, readConfiguration, simulatorOptions } from "../../edge-api/host/runtime.mjs";
import { RESULT, runStory } from "../client/story.mjs";
import { ACCOUNT, Platform } from "../operator/platform.mjs";
import { Sender } from "../support/sender.mjs";
import { ROOT, onPlatform, startTask, succeeded } from "../support/task.mjs";

/** Environments that only this run uses. */
const [SOURCE, TARGET] = ["source", "target"].map((name) => `${name}-${process.pid}`);
const IMPRINT = "0".repeat(64);

let folder;
let configuration;
let platform;
let receiver;
let vars;
/** The services and their addresses, by environment. */
const services = {};
const inFolder = (...names) => path.join(folder, ...names);
const file = (environment, end) => path.join(ROOT, "deploy", `${environment}.${end}`);

/** Starts a service and returns its address. */
async function serve(environment) {
  const options = await simulatorOptions(configuration, { dist: path.join(home, "dist"), vars, privateNetwork: true });
  services[environment] = new Miniflare({ host: "127.0.0.1", port: 0, handleStructuredLogs: () => {}, ...options });
  return (await services[environment].ready).origin;
}

const databaseOf = (environment) => services[environment].getD1Database(configuration.d1_databases[0].binding);

const start = (...words) => startTask(words, { env: onPlatform(platform) });
const run = (...words) => start(...words).ended;
const succeed = (...words) => succeeded(start(...words));

const manifest = async (name) => JSON.parse(await readFile(inFolder(name, "manifest.json"), "utf8"));
const rowsOf = async (name, table) =>
  (await readFile(inFolder(name, "tables", `${table}.ndjson`), "utf8"))
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "assay-backup-"));
  configuration = await readConfiguration();
  receiver = createServer((request, response) => request.resume().on("end", () => response.writeHead(204).end())).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  platform = await new Platform().start();
  platform.real = ({ name }) => databaseOf(name.includes(TARGET) ? TARGET : SOURCE);
});
after(async () => {
  for (const service of Object.values(services)) await service.dispose();
  receiver?.closeAllConnections();
  receiver?.close();
  await platform?.stop();
  for (const environment of [SOURCE, TARGET]) for (const end of ["jsonc", "log"]) await rm(file(environment, end), { force: true });
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Creates a database, and writes the configuration file of an environment as `cargo xtask deploy` does. */
async function deployed(environment) {
  const { uuid } = platform.createDatabase(`assay-${environment}`);
  const { build: _, r2_buckets: __, ...rest } = configuration;
  const [database] = rest.d1_databases;
  const file = {
    ...rest,
    name: `assay-${environment}`,
    account_id: ACCOUNT,
    main: "../edge-api/dist/worker.js",
    assets: { ...rest.assets, directory: "../edge-api/dist/assets" },
    d1_databases: [{ ...database, database_name: `assay-${environment}`, database_id: uuid, migrations_dir: "../edge-api/migrations" }],
  };
  await mkdir(path.join(ROOT, "deploy"), { recursive: true });
  await writeFile(path.join(ROOT, "deploy", `${environment}.jsonc`), JSON.stringify(file));
}

/**
 * Creates assets and moves tokens until `isOver` returns true. It pauses after each order: at full speed, most of the time of the test went into rows of the
 * load itself, which the backup copies too. Returns the references of the orders, which are all final.
 */
async function load(issuer, ledgerId, holder, isOver, name) {
  const refs = [];
  for (let number = 1; !isOver(); number++) {
    const order = { signersIds: [issuer.id], payerId: issuer.id, wildcardSigner: false, automatedPerform: true };
    const { tokenAddress } = (await issuer.client.getAccount()).data.payment;
    const actions = [
      { kind: 1, assetLedgerId: ledgerId, id: `${name}${number}`, imprint: IMPRINT, senderId: issuer.id, receiverId: holder.id },
      { kind: 3, valueLedgerId: tokenAddress, value: 1, senderId: issuer.id, receiverId: holder.id },
    ];
    const { data } = await issuer.client.createOrder({ ...order, actions }, 2);
    await issuer.client.waitForOrder(data.ref, { interval: 20 });
    refs.push(data.ref);
    await sleep(40);
  }
  return refs;
}

/** Returns a sentence for each violated rule about sums and rows. Every transaction of the service keeps these rules. */
async function contradictions(database) {
  const all = async (sql) => (await database.prepare(sql).all()).results;
  const sum = (rows) => rows.reduce((sum, { amount }) => sum + BigInt(`0x${amount}`), 0n);
  const found = [];
  const [tokens, credited] = [await all("SELECT amount FROM balances"), await all("SELECT tokens AS amount FROM deposits WHERE status = 'succeeded'")].map(sum);
  if (tokens !== credited) found.push(`${tokens} tokens instead of ${credited}`);
  const wrong = {
    "each ledger's count of assets is right": "SELECT id FROM ledgers l WHERE asset_count <> (SELECT count(*) FROM assets a WHERE a.ledger_id = l.id)",
    "an asset is created by a final order": "SELECT 1 WHERE (SELECT count(*) FROM assets) <> (SELECT count(*) FROM records WHERE kind = 0 AND status = 7)",
    "parties have their record's status": "SELECT p.ref FROM record_parties p JOIN records r ON r.ref = p.ref WHERE p.status <> r.status",
    "records have their parties": "SELECT ref FROM records r WHERE NOT EXISTS (SELECT 1 FROM record_parties p WHERE p.ref = r.ref)",
    "the costs count every final order": "SELECT 1 WHERE (SELECT sum(orders) FROM costs) <> (SELECT count(*) FROM records WHERE kind = 0 AND status = 7)",
    "the bytes of open orders are counted": "SELECT 1 WHERE (SELECT coalesce(sum(bytes), 0) FROM open_orders) <> (SELECT coalesce(sum(length(body)), 0) FROM records WHERE status = 0)",
    "a final order has its four events":
      "SELECT ref FROM records r WHERE kind = 0 AND status = 7 AND 4 > (SELECT count(*) FROM webhook_deliveries d WHERE d.ordering_key = r.ref OR d.body LIKE '%' || r.ref || '%')",
  };
  for (const [sentence, sql] of Object.entries(wrong)) if ((await all(sql)).length > 0) found.push(`violated: ${sentence}`);
  const broken = await all("PRAGMA foreign_key_check");
  return [...found, ...broken.map(({ table }) => `a row of ${table} references a missing row`)];
}

test("a backup under load is restored as one consistent state", async (t) => {
  const [issuer, holder, paid] = await Promise.all([Sender.of(), Sender.of(), Sender.of()]);
  vars = {
    ENVIRONMENT: "development",
    DEPOSITS: "test",
    PAYMENTS: "on",
    PAYMENT_RECEIVER: paid.id,
    WEBHOOK_CONFIRMATION: "off",
    ALLOW_PRIVATE_FETCH: "true",
    RATE_LIMIT_ADDRESS: "off",
    RATE_LIMIT_ACCOUNT: "off",
  };
  const source = await serve(SOURCE);
  const [{ migrations_dir, migrations_table }] = configuration.d1_databases;
  await applyMigrations(await databaseOf(SOURCE), path.join(home, migrations_dir), migrations_table);
  await deployed(SOURCE);
  for (const account of [issuer, holder]) await account.connect(source);
  await issuer.client.createDeposit(9_000_000);
  await issuer.client.updateAccountWebhook(`http://127.0.0.1:${receiver.address().port}/`, []);
  const { ledgerId } = await issuer.deploy({ name: "Backup", symbol: "B", uriPrefix: "https://example.com/", uriPostfix: "", schemaId: `0x${IMPRINT}`, capabilities: [] });

  let isOver = false;
  const loads = ["1", "2"].map((name) => load(issuer, ledgerId, holder, () => isOver, name));
  let refs;
  let said;
  try {
    // The first run is killed during a call, and the second run continues it. Pages are small, so changes happen between them.
    const killed = start("backup", "--env", SOURCE, "--into", inFolder("backup"), "--rows", "5");
    let queries = 0;
    platform.trouble = async (call) => {
      if (call.endsWith("/query") && ++queries === 5) process.kill(-killed.child.pid, "SIGKILL");
    };
    await killed.ended;
    // One call fails. The run repeats it with fewer rows.
    let failures = 0;
    platform.trouble = async (call) => (call.endsWith("/query") && failures++ === 0 ? "the answer is too large" : undefined);
    said = await succeed("backup", "--env", SOURCE, "--into", inFolder("backup"), "--rows", "5");
  } finally {
    platform.trouble = () => undefined;
    isOver = true;
    refs = (await Promise.all(loads)).flat();
  }
  assert.match(said, /an earlier run is continued/);
  assert.match(said, /repeated with fewer rows/);
  assert.match(said, /signing secrets of webhooks/);
  const { results: left } = await (await databaseOf(SOURCE)).prepare("SELECT name FROM sqlite_master WHERE name GLOB 'backup_*'").all();
  assert.deepEqual(left, []);

  // Restores into a second service with the same identity.
  const target = await serve(TARGET);
  await deployed(TARGET);
  const restored = await succeed("restore", inFolder("backup"), "--env", TARGET, "--instance", "keep");
  assert.match(restored, /equal the backup's/);
  const database = await databaseOf(TARGET);
  assert.deepEqual(await contradictions(database), []);
  const made = (await rowsOf("backup", "assets")).length;
  assert.ok(made > 5 && made < refs.length, `${made} of ${refs.length} assets are in the backup`);
  t.diagnostic(`${made} of ${refs.length} assets are in the backup`);

  // The restored service has the old accounts and their orders, and accepts new orders.
  for (const account of [issuer, holder]) account.url = target;
  assert.equal((await issuer.get(`/orders/${refs[0]}`)).status, 7);
  const order = await issuer.creation(ledgerId, "999", IMPRINT, holder.id);
  const answer = await fetch(`${target}/orders`, { method: "POST", headers: issuer.headers, body: JSON.stringify(order) });
  assert.equal(answer.status, 201, await answer.text());
  assert.deepEqual(await runStory(assay, target), RESULT);
});

/**
 * Restores with `--instance new`. Two runs are killed after they have loaded rows, and the next run continues. Transactions are small, so
 * different runs load rows of the same table.
 */
async function restoreWithKills(...place) {
  const words = ["restore", inFolder("backup"), ...place, "--part", "20000"];
  for (const number of [1, 2]) {
    const { child, ended } = start(...words, "--instance", "new");
    let loaded = 0;
    child.stderr.on("data", (text) => {
      loaded += text.toString().match(/: \d+ rows/g)?.length ?? 0;
      if (loaded >= 2) process.kill(-child.pid, "SIGKILL");
    });
    const { code, said } = await ended;
    assert.equal(code, null, said);
    assert.equal(said.includes("an earlier run is continued"), number > 1, said);
  }
  const other = await run(...words, "--instance", "keep");
  assert.equal(other.code, 1);
  assert.match(other.said, /partly filled from another backup or with another --instance/);
  assert.match(await succeed(...words, "--instance", "new"), /an earlier run is continued/);
}

test("a killed restoration can be continued, with a new instance id on request", async () => {
  await restoreWithKills("--state", inFolder("state"));
  await succeed("backup", "--state", inFolder("state"), "--into", inFolder("second"));
  const [first, second] = [await manifest("backup"), await manifest("second")];
  const others = ({ tables }) => tables.filter(({ name }) => name !== "instance");
  assert.deepEqual(others(second), others(first));
  assert.deepEqual(second.sequences, first.sequences);
  assert.notEqual(second.instance, first.instance);
  const again = await run("restore", inFolder("backup"), "--state", inFolder("state"), "--instance", "new");
  assert.equal(again.code, 1);
  assert.match(again.said, /the database is not empty.* rows in .*accounts/);
  const unclear = await run("restore", inFolder("backup"), "--state", inFolder("other"));
  assert.equal(unclear.code, 1);
  assert.match(unclear.said, /--instance keep: .* The old service must be off/s);
});

test("a damaged backup is refused with the name of the file and advice", async () => {
  const refused = async (damage, expected) => {
    await rm(inFolder("damaged"), { recursive: true, force: true });
    await cp(inFolder("backup"), inFolder("damaged"), { recursive: true });
    await damage(inFolder("damaged", "tables", "records.ndjson"));
    const { code, said } = await run("restore", inFolder("damaged"), "--state", inFolder("other"), "--instance", "keep");
    assert.equal(code, 1, said);
    assert.match(said, expected);
  };
  const text = await readFile(inFolder("backup", "tables", "records.ndjson"), "utf8");
  await refused((name) => rm(name), /records\.ndjson is missing: copy the backup again/);
  await refused((name) => writeFile(name, text.slice(0, -1)), /records\.ndjson has \d+ bytes instead of \d+: copy the backup again/);
  await refused((name) => writeFile(name, text.replace("0x", "0y")), /records\.ndjson was changed/);
  await refused(() => rm(inFolder("damaged", "manifest.json")), /not a finished backup: finish it with `cargo xtask backup --into/);
  await refused(() => writeFile(inFolder("damaged", "manifest.json"), "{"), /manifest\.json is damaged/);
});
