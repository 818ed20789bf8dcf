// `cargo xtask deploy` from the first run to a rollback. wrangler, in the version of the lock file, calls a stand-in of the
// platform's API.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "../support/server.mjs";
import { ACCOUNT, Platform } from "./platform.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** An environment that only this run uses. Its files are deleted at the end. */
const ENVIRONMENT = `test-${process.pid}`;
const FILE = new URL(`../../deploy/${ENVIRONMENT}.jsonc`, import.meta.url);
const LOG = new URL(`../../deploy/${ENVIRONMENT}.log`, import.meta.url);
const SETTINGS = ["--set", "SERVICE_NAME=certificates.example.org", "--set", "DEPLOYERS=0x3Aa5ebB10DC797CAC828524e59A333d0A371443c"];

let platform;
let service;
/** Forwards requests for the deployed service to a service on this machine, unless the active version is broken. */
let edge;
const broken = new Set();

before(async () => {
  platform = await new Platform().start();
  service = await startServer({ quiet: true });
  edge = createServer(async (request, response) => {
    if (broken.has(platform.active())) return response.writeHead(500, { "x-request-id": "1" }).end("broken");
    const answer = await fetch(new URL(request.url, service.url), { headers: { accept: request.headers.accept }, redirect: "manual" });
    const { "content-encoding": _, "content-length": __, ...headers } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  await once(edge, "listening");
});
after(async () => {
  edge?.closeAllConnections();
  edge?.close();
  await service?.stop();
  await platform?.stop();
  await Promise.all([FILE, LOG].map((file) => rm(file, { force: true })));
});

/** Runs `cargo xtask deploy` for the environment. */
async function deploy(...words) {
  const own = process.env.ASSAY_XTASK;
  const [program, ...first] = own ? [own] : ["cargo", "xtask"];
  const { CLOUDFLARE_ACCOUNT_ID: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    CLOUDFLARE_API_BASE_URL: platform.url,
    CLOUDFLARE_API_TOKEN: "token",
    NODE_OPTIONS: `--import=${new URL("reach.mjs", import.meta.url)}`,
    ASSAY_REACH: `http://127.0.0.1:${edge.address().port}`,
  };
  const [action, rest] = words[0] === "rollback" ? [["rollback"], words.slice(1)] : [[], words];
  const args = [...first, "deploy", ...action, "--env", ENVIRONMENT, ...rest];
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  return { code, said };
}

const configuration = async () => JSON.parse((await readFile(FILE, "utf8")).replace(/^\s*\/\/.*$/gm, ""));
const created = () => ["/d1/database", "/storage/kv/namespaces", "/queues"].map((path) => platform.calls.filter((call) => call === `POST ${path}`).length);

test("a service without a name and deployers is refused with the commands that set them", async () => {
  const { code, said } = await deploy("--dry-run");
  assert.equal(code, 1, said);
  assert.match(said, new RegExp(`cargo xtask deploy --env ${ENVIRONMENT} --set SERVICE_NAME=`));
  assert.match(said, new RegExp(`cargo xtask deploy --env ${ENVIRONMENT} --set DEPLOYERS=`));
});

test("a dry run prints resources and costs, and contacts no server", async () => {
  const { code, said } = await deploy("--dry-run", ...SETTINGS, "--set", "WEBHOOK_CONFIRMATION=off", "--set", "LOG_DATABASE=on");
  assert.equal(code, 0, said);
  for (const needed of [`D1 database \`assay-${ENVIRONMENT}\``, `D1 database \`assay-${ENVIRONMENT}-log\``, `queue \`assay-${ENVIRONMENT}-jobs\``, "10,000,000", "`WEBHOOK_CONFIRMATION=off` weakens"]) {
    assert.ok(said.includes(needed), `${needed} is missing in\n${said}`);
  }
  assert.deepEqual(platform.calls, []);
  await assert.rejects(readFile(FILE), { code: "ENOENT" });
});

test("a run that stops at the migrations is continued without creating anything twice", async () => {
  platform.trouble = (call) => (call.endsWith("/query") ? "out of order" : undefined);
  const stopped = await deploy(...SETTINGS);
  platform.trouble = () => undefined;
  assert.equal(stopped.code, 1, stopped.said);
  assert.match(stopped.said, /out of order/);
  assert.deepEqual(created(), [1, 1, 3], stopped.said);
  assert.equal(platform.versions.length, 0);

  // The database of logs is added to what exists.
  const { code, said } = await deploy("--set", "LOG_DATABASE=on");
  assert.equal(code, 0, said);
  assert.deepEqual(created(), [2, 1, 3]);
  assert.equal(platform.versions.length, 1);
  assert.ok(platform.databases[1].migrations.includes("0001_logs.sql"));
  assert.ok(platform.databases[0].migrations.includes("0001_service.sql"));
  assert.match(said, new RegExp(`answers at https://assay-${ENVIRONMENT}\\.example\\.workers\\.dev`));
  const file = await configuration();
  assert.equal(file.account_id, ACCOUNT);
  assert.deepEqual(file.d1_databases.map(({ database_id }) => database_id), platform.databases.map(({ uuid }) => uuid));
  assert.equal(file.kv_namespaces[0].id, platform.namespaces[0].id);
  assert.equal(file.vars.SERVICE_NAME, "certificates.example.org");
});

test("a version that fails the smoke test is rolled back", async () => {
  const good = platform.active();
  const upload = platform.versions.push.bind(platform.versions);
  platform.versions.push = (version) => (broken.add(version.id), upload(version));
  const { code, said } = await deploy();
  platform.versions.push = upload;
  assert.equal(code, 1, said);
  assert.match(said, new RegExp(`rolled back to the version ${good}, which answers as it should`));
  assert.equal(platform.active(), good);
  assert.equal(platform.versions.length, 2);
  assert.deepEqual(created(), [2, 1, 3]);
});

test("rollback returns to a named version", async () => {
  const [first, second] = platform.versions.map(({ id }) => id);
  assert.equal(platform.active(), first);
  broken.clear();
  const { code, said } = await deploy("rollback", second);
  assert.equal(code, 0, said);
  assert.equal(platform.active(), second);
});
