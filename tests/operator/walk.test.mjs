// An operator's tasks, one after another on the same services. There is a staging service and a production service. The tasks are an upgrade
// from the previous release, a backup, rollbacks, a blocked account, a stuck record with its alert, and a restoration elsewhere.
// `cargo xtask` and the locked wrangler run as for an operator. A fake of the platform answers their calls, and workerd runs the uploaded
// versions.
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
import { ACCOUNT, Platform } from "./platform.mjs";

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
/** The messages of the received alerts. */
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
    alerts.push(JSON.parse(Buffer.concat(chunks)).text);
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

test("a stuck record causes an alert and can be retried after a repair", async () => {
  const secret = ["wrangler", "secret", "put", "ALERT_URL", "--env", PRODUCTION];
  assert.match(await task(PRODUCTION, secret, "https://hooks.example.org/T0/secret-part\n"), /Success/);
  const database = await services[PRODUCTION].database(databaseOf(PRODUCTION));
  await database.exec("CREATE TRIGGER full BEFORE INSERT ON assets BEGIN SELECT raise(ABORT, 'full'); END");
  const { data } = await issuer.createOrder({ ...creation(issuer, load.ledgerId, "777"), automatedPerform: false }, HIGH);
  // Orders are queued only if many are performed at the same time.
  await database.exec(`UPDATE records SET status = 1, queued = 1, due_at = created_at WHERE ref = '${data.ref}'`);
  const [record] = await until(
    () => admin(PRODUCTION, "GET", "/admin/records"),
    (list) => list.length > 0,
  );
  assert.deepEqual([record.ref, record.faults], [data.ref, 1]);
  const retry = ["POST", `/admin/records/${data.ref}/retry`, "reason=Ticket 7"];
  await admin(PRODUCTION, ...retry);
  const received = (part) =>
    until(
      () => alerts.find((text) => text.includes(part)),
      (text) => text !== undefined,
    );
  assert.match(await received("stuck"), /^production\.example\.org: 1 record failed repeatedly and is stuck\./);

  await database.exec("DROP TRIGGER full");
  await admin(PRODUCTION, ...retry);
  assert.equal((await issuer.waitForOrder(data.ref, { interval: 100 })).data.status, FINAL);
  assert.match(await received("Resolved: no record"), /^production\.example\.org: Resolved: no record is stuck any more\. It began at /);
  assert.doesNotMatch(services[PRODUCTION].log.join("\n"), /secret-part/);
});

test("after the loss of the service, a restored backup serves its accounts elsewhere", async () => {
  await services[PRODUCTION].stop();
  const said = await task(COPY, ["restore", inFolder("backup"), "--env", COPY, "--instance", "keep"]);
  assert.match(said, /equal the backup's/);
  await deploy(COPY, ...settings("production"));
  const client = await connect(COPY, accounts.issuer);
  const restored = await performed(client, load);
  assert.ok(restored.length > 0 && restored.length < load.accepted.size, `${restored.length}`);

  // Orders after the backup are lost. An account that still has such an order sends it again.
  const [id, { at }] = [...load.accepted].find(([id]) => !restored.includes(id));
  const { data } = await client.createOrder(creation(client, load.ledgerId, id), HIGH, { at });
  assert.equal((await client.waitForOrder(data.ref, { interval: 100 })).data.status, FINAL);
});
