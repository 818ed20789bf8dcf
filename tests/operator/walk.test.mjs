// An operator's tasks, one after another on the same services. There is a staging service and a production service. The tasks are an upgrade
// from the previous release, a backup, rollbacks, and a blocked account. Then comes a bad night: a stuck record, a database that is nearly full, a
// bad release and a deleted database. Each causes an alert, and its entry in the runbook leads to a working service.
// `cargo xtask` and the locked wrangler run as for an operator. During the night, the packed tool of a release runs instead, with Node.js alone.
// A fake of the platform answers their calls, and workerd runs the uploaded versions.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, PrivateKeyProvider } from "@assay/client";
import { readConfiguration } from "../../edge-api/host/runtime.mjs";
import { ROOT, onPlatform, startTask, succeeded } from "../support/task.mjs";
import { until } from "../support/until.mjs";
import { Deployed } from "./deployed.mjs";
import { install } from "./installed.mjs";
import { ACCOUNT, EXPORT_TOKEN, Platform } from "./platform.mjs";

/** Environments that only this run uses. */
const [STAGING, PRODUCTION, COPY] = ["staging", "production", "copy"].map((name) => `${name}-${process.pid}`);
const IMPRINT = "0".repeat(64);
const HIGH = 2;
const FINAL = 7;

let folder;
let platform;
let receiver;
/** The load on the production service. */
let load;
/** The issuer's client for the production service. */
let issuer;
/** The operator's tool of a release. */
let installed;
/** The received alerts: `{ text, severity, cause, runbook }`. */
const alerts = [];
const services = {};
/** Accounts by name: `{ id, key, provider }`. `key` is the path of the key file. */
const accounts = {};
const inFolder = (...names) => path.join(folder, ...names);

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "assay-walk-"));
  receiver = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    alerts.push(JSON.parse(Buffer.concat(chunks)));
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  platform = await new Platform().start();
  for (const environment of [STAGING, PRODUCTION, COPY]) {
    const service = new Deployed(platform, `assay-${environment}`, inFolder(environment), `http://127.0.0.1:${receiver.address().port}`);
    services[environment] = await service.start();
  }
  const serviceOf = (name) => services[/^assay-(.*?)(-log)?$/.exec(name)[1]];
  platform.real = (database) => serviceOf(database.name).database(database);
  platform.object = (bucket, key) => serviceOf(bucket.replace(/-files$/, "")).object(key);
  platform.activated = (name, versions) => serviceOf(name).activate(versions);
  for (const name of ["admin", "issuer", "abuser"]) {
    const digits = randomBytes(32).toString("hex");
    const provider = await PrivateKeyProvider.from(digits);
    accounts[name] = { id: provider.accountId, key: inFolder(`${name}.key`), provider };
    await writeFile(accounts[name].key, `${digits}\n`);
  }
});
after(async () => {
  if (load) load.isOver = true;
  await Promise.all(Object.values(services).map((service) => service.stop()));
  await platform?.stop();
  receiver?.closeAllConnections();
  receiver?.close();
  for (const environment of [STAGING, PRODUCTION, COPY]) for (const end of ["jsonc", "log"]) await rm(path.join(ROOT, "deploy", `${environment}.${end}`), { force: true });
  await rm(path.join(ROOT, "deploy/dry-run", `${STAGING}.jsonc`), { force: true });
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Starts `cargo xtask` for a service. */
const startFor = (environment, words, input) => startTask(words, { env: onPlatform(platform, services[environment].url), input });
const task = (environment, words, input) => succeeded(startFor(environment, words, input));
/** Runs a command of the installed tool, and returns its output. */
const operate = (environment, words, input) => succeeded(startInstalled(environment, words, input));
const startInstalled = (environment, words, input) => {
  const env = { ...onPlatform(platform, services[environment].url), ASSAY_HOOKS: `http://127.0.0.1:${receiver.address().port}` };
  return installed.start([...words, "--env", environment], { env, input });
};
const deployWords = (environment, words) => (words[0] === "rollback" ? ["deploy", "rollback", "--env", environment, ...words.slice(1)] : ["deploy", "--env", environment, ...words]);
const deploy = (environment, ...words) => task(environment, deployWords(environment, words));
/** Runs a deployment that must fail, and returns its output. */
async function fail(environment, ...words) {
  const { code, said } = await startFor(environment, deployWords(environment, words)).ended;
  assert.equal(code, 1, said);
  return said;
}
const settings = (name) => ["--set", `SERVICE_NAME=${name}.example.org`, "--set", `DEPLOYERS=${accounts.issuer.id}`, "--set", `ADMIN_ACCOUNTS=${accounts.admin.id}`];
const databaseOf = (environment) => platform.databases.find(({ name }) => name === `assay-${environment}`);
const worker = (environment) => platform.script(`assay-${environment}`);

/** Calls a service as its administrator with `cargo xtask admin`. Returns the response's data. */
async function admin(environment, ...words) {
  const said = await task(environment, ["admin", "--url", services[environment].url, "--key", accounts.admin.key, ...words]);
  return JSON.parse(said.slice(said.indexOf("{\n"))).data;
}

/** Connects an account to a service. Returns the client. */
async function connect(environment, { provider }, more = {}) {
  const apiUrl = services[environment].url;
  const { data } = await (await fetch(`${apiUrl}/health`)).json();
  const client = new Client({ provider, apiUrl, authorizationText: data.authorizationText, ...more });
  await client.init();
  return client;
}

async function newLedger(client) {
  const { accountId } = client.provider;
  const { data } = await client.createDeployment(
    { name: "Walk", symbol: "W", uriPrefix: "https://example.com/", uriPostfix: "", schemaId: `0x${IMPRINT}`, capabilities: [], ownerId: accountId },
    HIGH,
  );
  return (await client.waitForDeployment(data.ref, { interval: 100 })).data.ledgerId;
}

const creation = ({ provider: { accountId } }, assetLedgerId, id) => ({
  signersIds: [accountId],
  payerId: accountId,
  wildcardSigner: false,
  automatedPerform: true,
  actions: [{ kind: 1, assetLedgerId, id, imprint: IMPRINT, senderId: accountId, receiverId: accountId }],
});

/** Creates assets until the load is over. */
class Load {
  isOver = false;
  /** The accepted orders by the id of their asset: `{ ref, at }`. */
  accepted = new Map();
  failures = 0;

  constructor(service, client, ledgerId) {
    Object.assign(this, { service, client, ledgerId });
    service.isUnderLoad = true;
    this.lanes = Promise.all([1, 2].map((lane) => this.#run(lane)));
  }

  async #run(lane) {
    for (let number = 1; !this.isOver; number++) {
      const [id, at] = [`${lane}${String(number).padStart(6, "0")}`, new Date()];
      this.accepted.set(id, { ref: await this.#send(id, at), at });
      await sleep(300);
    }
  }

  /** Sends an order until it is accepted, and returns its reference. All attempts have the same time, so they are the same order. */
  async #send(id, at) {
    for (;;) {
      try {
        return (await this.client.createOrder(creation(this.client, this.ledgerId, id), HIGH, { at })).data.ref;
      } catch (error) {
        if (error.name !== "ConnectionError") throw error;
        this.failures += 1;
        await sleep(200);
      }
    }
  }

  async end() {
    this.isOver = true;
    this.service.isUnderLoad = false;
    await this.lanes;
  }
}

/** Waits until all orders of a service are final. Asserts that all belong to the load, and that the ledger has exactly their assets. Returns the asset ids. */
async function performed(client, { accepted, ledgerId }) {
  const read = async () => {
    const orders = new Map();
    for await (const { ref, status } of client.orders({ limit: 100 })) orders.set(ref, status);
    return orders;
  };
  const orders = await until(read, (orders) => [...orders.values()].every((status) => status === FINAL));
  const ids = [...accepted].filter(([, { ref }]) => orders.get(ref) === FINAL).map(([id]) => id);
  assert.equal(ids.length, orders.size);
  const assets = [];
  for await (const { id } of client.ledgerAssets(ledgerId, { limit: 100 })) assets.push(id);
  assert.deepEqual(assets.sort(), ids.toSorted());
  return ids;
}

const created = () => ["/d1/database", "/storage/kv/namespaces", "/queues"].map((path) => platform.calls.filter((call) => call === `POST ${path}`).length);

test("a missing name or deployers are refused with the commands that set them", async () => {
  const said = await fail(STAGING, "--dry-run");
  assert.match(said, new RegExp(`cargo xtask deploy --env ${STAGING} --set SERVICE_NAME=`));
  assert.match(said, new RegExp(`cargo xtask deploy --env ${STAGING} --set DEPLOYERS=`));
});

test("all wrong settings are named together, with the option that corrects them", async () => {
  const said = await fail(STAGING, "--dry-run", ...settings("staging"), "--set", "PAYMENTS=maybe", "--set", "BADGE_CACHE_SECONDS=-1");
  for (const named of ["`PAYMENTS` is `maybe`", "`BADGE_CACHE_SECONDS` is `-1`", "`--set NAME=VALUE`"]) assert.ok(said.includes(named), said);
});

test("a dry run prints resources and where the costs are, and contacts no server", async () => {
  const said = await deploy(STAGING, "--dry-run", ...settings("staging"), "--set", "WEBHOOK_CONFIRMATION=off");
  const name = `assay-${STAGING}`;
  for (const needed of [`D1 database \`${name}\``, `queue \`${name}-jobs\``, 'docs/operating.md, "Costs"', "`WEBHOOK_CONFIRMATION=off` weakens"]) {
    assert.ok(said.includes(needed), `${needed} is missing in\n${said}`);
  }
  assert.deepEqual(platform.calls, []);
  await assert.rejects(readFile(path.join(ROOT, "deploy", `${STAGING}.jsonc`)), { code: "ENOENT" });
});

test("a service with a ledger on a chain gets the build for chains", async () => {
  const address = accounts.issuer.id;
  const addresses = ["GATEWAY_ACTIONS", "GATEWAY_DEPLOY", "TOKEN_ADDRESS", "PAYMENT_RECEIVER"].flatMap((name) => ["--set", `${name}=${address}`]);
  const chain = ["--set", "LEDGER=evm", "--set", "CHAIN_ID=8453", "--set", "CHAIN_START_BLOCK=1", ...addresses];
  // Before the upload, the command starts the Worker. The default build would refuse these settings.
  await deploy(STAGING, "--dry-run", ...settings("staging"), ...chain);
  const simulated = async () => (await readConfiguration(path.join(ROOT, "deploy/dry-run", `${STAGING}.jsonc`))).main;
  assert.match(await simulated(), /\/edge-api\/dist-evm\/worker\.js$/);
  await deploy(STAGING, "--dry-run", ...settings("staging"));
  assert.match(await simulated(), /\/edge-api\/dist\/worker\.js$/);
});

test("a run that stops at the migrations continues without creating resources twice", async () => {
  platform.trouble = (call) => (call.endsWith("/query") ? "out of order" : undefined);
  const stopped = await fail(STAGING, ...settings("staging"), "--set", "LEGACY_AUTH=off");
  platform.trouble = () => undefined;
  assert.match(stopped, /out of order/);
  assert.deepEqual(created(), [1, 1, 3], stopped);
  assert.equal(worker(STAGING).versions.length, 0);

  const said = await deploy(STAGING);
  assert.deepEqual(created(), [1, 1, 3]);
  assert.equal(worker(STAGING).versions.length, 1);
  assert.match(said, new RegExp(`staging\\.example\\.org answers at https://assay-${STAGING}\\.example\\.workers\\.dev`));
  const file = await readConfiguration(path.join(ROOT, "deploy", `${STAGING}.jsonc`));
  assert.equal(file.account_id, ACCOUNT);
  assert.deepEqual(
    file.d1_databases.map(({ database_id }) => database_id),
    platform.databases.map(({ uuid }) => uuid),
  );
  assert.equal(file.kv_namespaces[0].id, platform.namespaces[0].id);
});

test("a version that fails its test never answers a user", async () => {
  const good = worker(STAGING).active();
  const { activated } = platform;
  platform.activated = async (name, versions) => {
    for (const { id } of versions) if (id !== good) services[STAGING].broken.add(id);
    await activated(name, versions);
  };
  const said = await fail(STAGING);
  platform.activated = activated;
  assert.match(said, new RegExp(`never answered all requests. The version ${good} answers them as before`));
  assert.deepEqual(worker(STAGING).shares(), [{ version_id: good, percentage: 100 }]);
  assert.equal(worker(STAGING).versions.length, 2);
  assert.equal(services[STAGING].answered.has(worker(STAGING).versions[1].id), false);
  assert.deepEqual(created(), [1, 1, 3]);
});

test("a version that fails only after its test is rolled back", async () => {
  const good = worker(STAGING).active();
  const { activated } = platform;
  platform.activated = async (name, versions) => {
    if (versions.length === 1 && versions[0].id !== good) services[STAGING].broken.add(versions[0].id);
    await activated(name, versions);
  };
  const said = await fail(STAGING);
  platform.activated = activated;
  assert.match(said, new RegExp(`rolled back to the version ${good}, which answers as it should`));
  assert.equal(worker(STAGING).active(), good);
});

test("a release in steps gives a version a part of the requests, then all", async () => {
  const good = worker(STAGING).active();
  const shares = () =>
    worker(STAGING)
      .shares()
      .map(({ version_id, percentage }) => [version_id === good, percentage]);
  services[STAGING].keepsClients = false;
  assert.match(await fail(STAGING, "--share", "10"), /The new version stays at 0 %\. Add the rule/);
  services[STAGING].keepsClients = true;
  assert.deepEqual(shares(), [
    [true, 100],
    [false, 0],
  ]);

  assert.match(await deploy(STAGING, "--share", "10"), /answers 10 % of the requests/);
  assert.deepEqual(shares(), [
    [true, 90],
    [false, 10],
  ]);
  assert.match(await fail(STAGING), /First finish the earlier release by `cargo xtask deploy share 100/);
  await deploy(STAGING, "rollback");
  assert.deepEqual(shares(), [[true, 100]]);

  await deploy(STAGING, "--share", "10");
  await task(STAGING, ["deploy", "share", "100", "--env", STAGING]);
  assert.deepEqual(shares(), [[false, 100]]);
});

test("an administrator pauses and resumes a service that refuses the signed header", async () => {
  await admin(STAGING, "POST", "/admin/pause", "message=Back at noon", "reason=Rehearsal");
  const client = new Client({ provider: accounts.issuer.provider, apiUrl: services[STAGING].url, retries: 0 });
  const signIn = () =>
    client.signIn().then(
      () => "signed in",
      ({ original }) => original.errors?.[0].message,
    );
  assert.equal(await until(signIn, (end) => end !== "signed in"), "Back at noon");
  assert.equal((await admin(STAGING, "GET", "/admin/pause")).message, "Back at noon");
  await admin(STAGING, "POST", "/admin/resume", "reason=Rehearsal");
  assert.equal(await until(signIn, (end) => end === "signed in"), "signed in");
  const { code, said } = await startFor(STAGING, ["admin", "--url", services[STAGING].url, "--key", accounts.abuser.key, "GET", "/admin/audit"]).ended;
  assert.equal(code, 1);
  assert.match(said, /403010/);
  // Each call of an administrator has ended its session.
  const database = await services[STAGING].database(databaseOf(STAGING));
  const { results } = await database.prepare("SELECT account_id FROM sessions").all();
  // The issuer has signed in at least once, and has kept its sessions.
  const owners = new Set(results.map(({ account_id }) => account_id));
  assert.deepEqual([...owners], [accounts.issuer.id.toLowerCase()]);
});

test("an upgrade and rollbacks under load lose no write", async (t) => {
  assert.match(await deploy(PRODUCTION, ...settings("production")), /no setting weakens it/);
  const production = services[PRODUCTION];
  issuer = await connect(PRODUCTION, accounts.issuer, { retries: 0 });
  load = new Load(production, issuer, await newLedger(issuer));
  const previous = worker(PRODUCTION).active();

  // A release with another content has files with other hashes.
  const name = `/chunks/walk-${process.pid}.js`;
  production.files.set("/release.json", JSON.stringify({ files: [name] })).set(name, "previous");
  assert.match(await deploy(PRODUCTION, "--set", "BADGE_CACHE_SECONDS=30"), /files kept for open tabs: 1\n/);
  assert.equal(await readFile(path.join(ROOT, "edge-api/dist/assets", name), "utf8"), "previous");
  production.files.clear();
  const upgraded = worker(PRODUCTION).active();
  assert.notEqual(upgraded, previous);
  await task(PRODUCTION, ["backup", "--env", PRODUCTION, "--into", inFolder("backup")]);

  await deploy(PRODUCTION, "rollback");
  assert.equal(worker(PRODUCTION).active(), previous);
  const { size } = load.accepted;
  await until(
    () => load.accepted.size,
    (now) => now > size + 4,
  );
  await deploy(PRODUCTION, "rollback", upgraded);
  assert.equal(worker(PRODUCTION).active(), upgraded);

  await load.end();
  t.diagnostic(`${load.accepted.size} orders, ${load.failures} failed attempts, ${production.lost.length} lost responses`);
  for (const count of [load.failures, production.lost.length]) assert.ok(count >= 3, `${count}`);
  assert.equal((await performed(issuer, load)).length, load.accepted.size);
});

test("an abusive account is blocked, and other accounts are not", async () => {
  const abuser = await connect(PRODUCTION, accounts.abuser);
  await admin(PRODUCTION, "POST", "/admin/blocks", `address=${accounts.abuser.id}`, "reason=Abuse");
  const refused = () =>
    abuser.getAccount().then(
      () => null,
      ({ errors }) => errors[0].code,
    );
  assert.equal(await until(refused, (code) => code !== null), 403011);
  await issuer.getAccount();
  const [entry] = await admin(PRODUCTION, "GET", "/admin/audit?limit=1");
  assert.deepEqual([entry.action, entry.subject, entry.reason], ["POST /admin/blocks", accounts.abuser.id, "Abuse"]);
});

/** Waits for an alert whose text contains a part. Asserts its severity, and that its link is an entry of the runbook. */
async function received(part, severity) {
  const find = () => alerts.find(({ text }) => text.includes(part));
  const alert = await until(find, (found) => found !== undefined);
  assert.equal(alert.severity, severity, alert.text);
  const entry = alert.runbook.split("#")[1];
  assert.match(await readFile(path.join(ROOT, "docs/runbook.md"), "utf8"), new RegExp(`^## ${entry}$`, "m"));
  return alert.text;
}

/** Creates an asset, and waits for the end of its order. */
async function works(client, id) {
  const at = new Date();
  const { data } = await client.createOrder(creation(client, load.ledgerId, id), HIGH, { at });
  load.accepted.set(id, { ref: data.ref, at });
  assert.equal((await client.waitForOrder(data.ref, { interval: 100 })).data.status, FINAL);
}

/** The date of the night, and the megabytes that the platform allows the database. */
let night;
let limit;

test("the tool of a release needs Node.js alone, and continues with a service of the clone", async () => {
  installed = await install(inFolder("release"));
  await installed.take(PRODUCTION);
  const before = await operate(PRODUCTION, ["check"]);
  for (const said of ["production.example.org answers", "no alerts are sent: `npx @assay/operate alerts", "no nightly backups are made"]) assert.ok(before.includes(said), before);

  const database = await services[PRODUCTION].database(databaseOf(PRODUCTION));
  const { meta } = await database.prepare("SELECT 1").run();
  // Half of the limit stays free: the load goes on, and no alert may come before a test fills the database.
  limit = 2 * Math.ceil(meta.size_after / 1e6);
  const now = new Date();
  night = now.toISOString().slice(0, 10);
  const options = [`BACKUP_HOUR=${now.getUTCHours()}`, `DATABASE_LIMIT_GB=${limit / 1000}`, "ALERT_ERRORS_PERCENT=1"];

  // The operator's receiver gets a test message before its address is stored.
  await operate(PRODUCTION, ["wrangler", "secret", "put", "BACKUP_TOKEN"], `${EXPORT_TOKEN}\n`);
  await operate(PRODUCTION, ["alerts"], "https://hooks.example.org/T0/secret-part\n");
  assert.match(alerts.at(-1).text, /^production\.example\.org: Test\. /);
  const said = await operate(PRODUCTION, ["deploy", ...options.flatMap((setting) => ["--set", setting])]);
  assert.match(said, /create the R2 bucket[^]*answers at https:/);
});

test("the night's backup can be restored", async () => {
  await until(
    () => services[PRODUCTION].object(`backups/${night}.sql`),
    (dump) => dump !== undefined,
  );
  const said = await operate(PRODUCTION, ["backup", "drill"]);
  const counted = new RegExp(`restored from the backup of .*: .*\\b${load.accepted.size} assets`);
  assert.match(said, counted);
  assert.match(said, /last record: .* at .*\n.*The scratch database was deleted/);
  assert.doesNotMatch(services[PRODUCTION].log.join("\n"), new RegExp(EXPORT_TOKEN));
  await works(issuer, "900000");
});

test("a stuck record causes an alert and can be retried after a repair", async () => {
  const database = await services[PRODUCTION].database(databaseOf(PRODUCTION));
  await database.exec("CREATE TRIGGER full BEFORE INSERT ON assets BEGIN SELECT raise(ABORT, 'full'); END");
  const at = new Date();
  const { data } = await issuer.createOrder({ ...creation(issuer, load.ledgerId, "777"), automatedPerform: false }, HIGH, { at });
  // Orders are queued only if many are performed at the same time.
  await database.exec(`UPDATE records SET status = 1, queued = 1, due_at = created_at WHERE ref = '${data.ref}'`);
  const [record] = await until(
    () => admin(PRODUCTION, "GET", "/admin/records"),
    (list) => list.length > 0,
  );
  assert.deepEqual([record.ref, record.faults], [data.ref, 1]);
  const retry = ["POST", `/admin/records/${data.ref}/retry`, "reason=Ticket 7"];
  await admin(PRODUCTION, ...retry);
  assert.match(await received("stuck", "warning"), /^production\.example\.org: 1 record failed repeatedly and is stuck\./);

  await database.exec("DROP TRIGGER full");
  await admin(PRODUCTION, ...retry);
  assert.equal((await issuer.waitForOrder(data.ref, { interval: 100 })).data.status, FINAL);
  assert.match(await received("Resolved: no record", "resolved"), /^production\.example\.org: Resolved: no record is stuck any more\. It began at /);
  assert.doesNotMatch(services[PRODUCTION].log.join("\n"), /secret-part/);
});

test("a database that is nearly full is told, and a larger limit ends the alert", async () => {
  const database = await services[PRODUCTION].database(databaseOf(PRODUCTION));
  const { meta } = await database.prepare("CREATE TABLE filler (text TEXT)").run();
  // All rows are stored in one transaction, so that no sweep sees the database below 95 %. A row takes slightly more than its text.
  const rows = Math.ceil((0.955e6 * limit - meta.size_after) / 100_000);
  const row = database.prepare("INSERT INTO filler VALUES (?1)").bind("x".repeat(100_000));
  await database.batch(Array.from({ length: rows }, () => row));
  assert.match(await received("The database has", "critical"), /\(9[5-9] %\)/);
  // The runbook: pause changes, then state the limit of a larger plan.
  await admin(PRODUCTION, "POST", "/admin/pause", "message=Database", "reason=Database");
  await database.exec("DROP TABLE filler");
  await operate(PRODUCTION, ["deploy", "--set", "DATABASE_LIMIT_GB=10"]);
  await admin(PRODUCTION, "POST", "/admin/resume", "reason=Database");
  await received("Resolved: the database has less", "resolved");
  await until(
    () => works(issuer, "900001").catch(() => false),
    (end) => end !== false,
  );
});

/** The end of a broken release's code: no record can be stored. Its smoke test passes. */
const BAD = `
const batch = globalThis.assayBatch;
globalThis.assayBatch = (database, text) => (text.includes("INTO records") ? Promise.reject("constraint failed: a bad release") : batch(database, text));
`;

test("a bad release is told by its errors, and rolled back", async () => {
  const good = worker(PRODUCTION).active();
  const { activated } = platform;
  platform.activated = async (name, versions) => {
    const [{ id, modules }] = versions;
    const text = modules.get("worker.js").toString();
    if (id !== good && !text.includes(BAD)) modules.set("worker.js", Buffer.from(text + BAD));
    await activated(name, versions);
  };
  await operate(PRODUCTION, ["deploy"]);
  platform.activated = activated;
  assert.notEqual(worker(PRODUCTION).active(), good);
  const told = () => alerts.some(({ cause, severity }) => cause === "failures" && severity === "critical");
  for (let number = 0; number < 300 && !told(); number++) {
    const refused = await issuer.createOrder(creation(issuer, load.ledgerId, `8${number}`), HIGH).catch((error) => error);
    assert.ok(refused instanceof Error, "the bad release stored an order");
    await sleep(50);
  }
  await received("errors of the service", "critical");
  await operate(PRODUCTION, ["deploy", "rollback"]);
  assert.equal(worker(PRODUCTION).active(), good);
  await works(issuer, "900002");
  // The answers of the last 15 minutes count. Their time passes.
  const database = await services[PRODUCTION].database(databaseOf(PRODUCTION));
  await database.exec("DELETE FROM answers WHERE period > 0");
  await received("Resolved: few answers are errors", "resolved");
});

test("a deleted database is told, and the night's backup serves its accounts elsewhere", async () => {
  const database = await services[PRODUCTION].database(databaseOf(PRODUCTION));
  const { results } = await database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' ORDER BY rowid DESC").all();
  // No statement of the service succeeds any more, as without the database. Later tables reference earlier ones.
  await database.batch(results.map(({ name }) => database.prepare(`DROP TABLE "${name}"`)));
  await received("The database does not answer", "critical");

  await operate(PRODUCTION, ["backup", "fetch", "--into", inFolder("last")]);
  await services[PRODUCTION].stop();
  const said = await operate(COPY, ["restore", inFolder("last"), "--instance", "keep"]);
  assert.match(said, /equal the backup's/);
  await operate(COPY, ["deploy", ...settings("production")]);
  const client = await connect(COPY, accounts.issuer);
  const restored = await performed(client, load);
  assert.ok(restored.length > 0 && restored.length < load.accepted.size, `${restored.length}`);

  // Orders after the backup are lost. An account that still has such an order sends it again.
  const [id, { at }] = [...load.accepted].find(([id]) => !restored.includes(id));
  const { data } = await client.createOrder(creation(client, load.ledgerId, id), HIGH, { at });
  assert.equal((await client.waitForOrder(data.ref, { interval: 100 })).data.status, FINAL);
});
