// Tests the configuration of a deployed service, and the checks before an upload.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { option, problemsOf, uploads } from "../src/checks.ts";
import { Configuration, Environment, TEMPLATE, describe, parseDomain, read } from "../src/configuration.ts";
import { HOME } from "../src/programs.ts";
import { chooseAccount } from "../src/resources.ts";
import { isSecret, neededSecrets } from "../src/secrets.ts";

const start = process.cwd();
const folder = mkdtempSync(path.join(tmpdir(), "assay-configuration-"));
process.chdir(folder);
after(() => {
  process.chdir(start);
  rmSync(folder, { recursive: true });
});

const load = (name) => Configuration.load(Environment.parse(name));

test("names of environments and domains are checked", () => {
  for (const name of ["staging", "a", "eu-west-1", "production"]) assert.equal(Environment.parse(name).name, name);
  for (const wrong of ["", "Staging", "a_b", "-a", "a-", "a--b", "../x", "a/b", "abcdefghijklmnopqrstuvwxy"]) assert.throws(() => Environment.parse(wrong), /expected/, wrong);
  assert.equal(parseDomain("assets.example.org"), "assets.example.org");
  for (const wrong of ["", "example", "https://example.org", "a..b", "A.example", "example.org/x"]) assert.throws(() => parseDomain(wrong), /expected/, wrong);
});

test("environments share no resource", () => {
  const names = (name) => {
    const resources = load(name).resources();
    assert.equal(resources.length, 5);
    return new Set(resources.map(describe));
  };
  const [production, staging, other] = ["production", "staging", "other"].map(names);
  for (const expected of ["D1 database `assay`", "KV namespace `assay-cache`", "queue `assay-jobs-dead`"]) assert.ok(production.has(expected), expected);
  assert.ok(staging.has("queue `assay-staging-jobs`"));
  assert.ok(production.isDisjointFrom(staging) && staging.isDisjointFrom(other));
  const named = load("staging");
  named.set("SERVICE_NAME", "certificates.example.org");
  assert.doesNotMatch(JSON.stringify(named.render()), /"assay"|"assay-jobs"/);
  const counters = (name) =>
    new Set(
      load(name)
        .render()
        .ratelimits.map(({ namespace_id }) => namespace_id),
    );
  assert.equal(counters("staging").size, 2);
  assert.ok(counters("production").isDisjointFrom(counters("staging")));
});

test("the operator's choices are read back from the file", () => {
  const chosen = load("chosen");
  chosen.set("SERVICE_NAME", "certificates.example.org");
  chosen.setDomain("assets.example.org");
  chosen.account = "0123";
  for (const resource of chosen.resources()) chosen.assign(resource, `id of ${resource.binding}`);
  const file = chosen.render();
  assert.equal(file.d1_databases[0].database_id, "id of DB");
  assert.equal(file.kv_namespaces[0].id, "id of CACHE");
  assert.deepEqual([file.account_id, file.workers_dev, file.preview_urls], ["0123", false, false]);
  chosen.save();
  const again = load("chosen");
  assert.deepEqual(again.render(), file);
  assert.equal(again.domain, "https://assets.example.org");
  assert.equal(again.setting("SERVICE_NAME"), "certificates.example.org");
  for (const { kind, id } of again.resources()) assert.equal(id !== null, ["database", "namespace"].includes(kind));
});

test("ids of zeros count as missing", () => {
  load("zeros").save();
  assert.ok(
    load("zeros")
      .resources()
      .every(({ id }) => id === null),
  );
});

test("rate limiters have the limits of the settings", () => {
  const configuration = load("production");
  configuration.set("RATE_LIMIT_ADDRESS", "50/60");
  configuration.set("RATE_LIMIT_ACCOUNT", "off");
  assert.deepEqual(configuration.render().ratelimits, [{ name: "LIMIT_ADDRESS", namespace_id: "7101", simple: { limit: 50, period: 60 } }]);
  configuration.set("RATE_LIMIT_ACCOUNT", "");
  assert.equal(configuration.render().ratelimits.length, 2);
});

test("paths of the build are relative to the file", () => {
  const configuration = load("production");
  const resolved = (file) => path.resolve(path.dirname(configuration.path), file);
  for (const file of [configuration.path, configuration.environment.dryRunFile]) {
    configuration.path = file;
    const { main, build, d1_databases } = configuration.render();
    assert.equal(resolved(main), path.join(HOME, "dist/worker.js"));
    assert.equal(resolved(d1_databases[0].migrations_dir), path.join(HOME, "migrations"));
    assert.equal(build, undefined);
  }
});

test("the ledger decides which build is uploaded", () => {
  const configuration = load("staging");
  for (const [ledger, built, edition] of [
    ["", "dist", "embedded"],
    ["embedded", "dist", "embedded"],
    ["evm", "dist-evm", "evm"],
    [" evm ", "dist-evm", "evm"],
  ]) {
    configuration.set("LEDGER", ledger);
    const { main, assets } = configuration.render();
    assert.match(main, new RegExp(`/${built}/worker\\.js$`));
    assert.match(assets.directory, new RegExp(`/${built}/assets$`));
    assert.equal(configuration.edition, edition);
  }
});

test("a bucket is needed only for files and backups", () => {
  const configuration = load("staging");
  const isNeeded = () => configuration.resources().some((resource) => describe(resource) === "R2 bucket `assay-staging-files`");
  assert.ok(!isNeeded());
  assert.equal(configuration.render().r2_buckets, undefined);
  configuration.set("FILES", "on");
  assert.ok(isNeeded());
  assert.equal(configuration.render().r2_buckets[0].bucket_name, "assay-staging-files");
  configuration.set("FILES", "off");
  assert.ok(!isNeeded());
  configuration.set("BACKUP_HOUR", "0");
  assert.ok(isNeeded());
  assert.equal(configuration.bucket, "assay-staging-files");
});

test("nightly backups name the account and the database to the Worker", () => {
  const configuration = load("staging");
  const source = () => configuration.render().vars.BACKUP_SOURCE;
  assert.equal(source(), undefined);
  configuration.set("BACKUP_HOUR", "3");
  // The Worker starts on this machine before the resources exist.
  assert.equal(source(), `${"0".repeat(32)}/00000000-0000-0000-0000-000000000000`);
  configuration.account = "0123456789abcdef0123456789abcdef";
  const [database] = configuration.resources();
  configuration.assign(database, "7d1f0000-0000-4000-8000-00000000c0de");
  assert.equal(source(), "0123456789abcdef0123456789abcdef/7d1f0000-0000-4000-8000-00000000c0de");
  configuration.save();
  const again = load("staging");
  assert.equal(again.setting("BACKUP_HOUR"), "3");
  again.set("BACKUP_HOUR", "off");
  assert.equal(again.render().vars.BACKUP_SOURCE, undefined);
  rmSync(again.environment.file);
});

/** Returns the template, completed as a deployment does it. */
function completed() {
  const file = read(TEMPLATE);
  file.d1_databases = [{ ...file.d1_databases[0], database_id: "7d1f0000-0000-4000-8000-00000000c0de" }];
  file.kv_namespaces[0].id = "0f000000000000000000000000000000";
  Object.assign(file.vars, { SERVICE_NAME: "certificates.example.org", DEPLOYERS: "0x3Aa5ebB10DC797CAC828524e59A333d0A371443c" });
  return file;
}

/** Returns the problems of the completed template after a change. */
function problemsWith(change) {
  const file = completed();
  change(file);
  return problemsOf(file);
}

test("a completed file is ready", () => assert.deepEqual(problemsOf(completed()), []));

test("the template is refused with one sentence and command for each missing value", () => {
  const errors = problemsOf(read(TEMPLATE));
  const commands = ["deploy` creates the database", "deploy` creates the cache", "deploy --set SERVICE_NAME=", "deploy --set DEPLOYERS="];
  assert.equal(errors.length, commands.length);
  for (const [index, command] of commands.entries()) assert.ok(errors[index].includes(command), errors[index]);
});

test("each mistake alone is found", () => {
  for (const unset of [null, "", "00000000-0000-0000-0000-000000000000"]) {
    assert.equal(problemsWith((file) => (file.d1_databases[0].database_id = unset)).length, 1);
    assert.equal(problemsWith((file) => (file.kv_namespaces[0].id = unset)).length, 1);
  }
  for (const [name, value] of Object.entries({ SERVICE_NAME: "", ENVIRONMENT: "development", DEPLOYERS: "" })) {
    assert.equal(problemsWith(({ vars }) => (vars[name] = value)).length, 1, name);
  }
  for (const name of [" ", "assay"]) assert.equal(problemsWith(({ vars }) => (vars.SERVICE_NAME = name)).length, 1, name);
});

test("a build without the ledger of the settings is refused", () => {
  assert.deepEqual(
    problemsWith(({ vars }) => (vars.LEDGER = "embedded")),
    [],
  );
  const [error, ...more] = problemsWith(({ vars }) => (vars.LEDGER = "evm"));
  assert.match(error, /must be `dist-evm\/worker\.js`/);
  assert.deepEqual(more, []);
  const onChain = (file) => (file.main = "../edge-api/dist-evm/worker.js");
  assert.equal(problemsWith(onChain).length, 1);
  assert.deepEqual(
    problemsWith((file) => {
      onChain(file);
      file.vars.LEDGER = "evm";
    }),
    [],
  );
});

test("with a domain, the other addresses must be off", () => {
  const routes = [{ pattern: "assets.example.org", custom_domain: true }];
  const found = (more) => problemsWith((file) => Object.assign(file, { routes, ...more })).length;
  assert.deepEqual([{}, { workers_dev: false }, { preview_urls: false }, { workers_dev: false, preview_urls: false }].map(found), [1, 1, 1, 0]);
});

test("only uploads are checked", () => {
  for (const line of ["deploy", "deploy --dry-run", "--log-level debug deploy", "versions upload --tag x"]) assert.ok(uploads(line.split(" ")), line);
  for (const line of ["d1 create assay", "login", "deploy --help", "versions list", "deployments list"]) assert.ok(!uploads(line.split(" ")), line);
});

test("the option for the environment is removed", () => {
  const names = ["--env", "-e"];
  for (const line of ["tail --env staging x", "tail x -e=staging", "-e staging tail x"]) {
    assert.deepEqual(option(line.split(" "), names), { value: "staging", rest: ["tail", "x"] }, line);
  }
  assert.equal(option(["tail", "--env"], names).value, null);
  assert.deepEqual(option(["tail", "x"], names), { value: null, rest: ["tail", "x"] });
});

test("an account is chosen only if it is certain", () => {
  const two = ["a", "b"].map((id) => ({ id, name: `${id}'s` }));
  const one = two.slice(0, 1);
  assert.equal(chooseAccount(one, null, null).id, "a");
  assert.equal(chooseAccount(two, "b", null).id, "b");
  assert.equal(chooseAccount(two, null, "b").id, "b");
  for (const [accounts, chosen, last, said] of [
    [two, null, null, /--account a {2}a's/],
    [two, "c", null, /no account c/],
    [two, "a", "b", /another --env/],
    [one, null, "b", /no account b/],
    [[], null, null, /has no account/],
  ]) {
    assert.throws(() => chooseAccount(accounts, chosen, last), said);
  }
});

test("secrets and other settings are distinguished", () => {
  for (const name of ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "ALERT_URL", "STATUS_KEY", "BACKUP_TOKEN", "RPC_URLS", "RPC_SEND_URLS", "RELAYER_KEY"]) assert.ok(isSecret(name), name);
  assert.ok(!isSecret("SERVICE_NAME"));
});

test("settings name the secrets that they need", () => {
  const needed = (settings) => neededSecrets((name) => settings[name] ?? "").map(([name]) => name);
  assert.deepEqual(needed({ DEPOSITS: "off" }), []);
  assert.deepEqual(needed({ DEPOSITS: "stripe" }), ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"]);
  assert.deepEqual(needed({ BACKUP_HOUR: "off" }), []);
  assert.deepEqual(needed({ BACKUP_HOUR: "0" }), ["BACKUP_TOKEN"]);
  assert.deepEqual(needed({ LEDGER: "evm" }), ["RPC_URLS", "RELAYER_KEY"]);
  assert.deepEqual(needed({ LEDGER: "evm", SEND_PRIVATE: "only" }), ["RPC_URLS", "RELAYER_KEY", "RPC_SEND_URLS"]);
});
